/** The version of the wire format; it changes only when the format breaks (contract: Versioning). */
export const protocol = '1.0';
