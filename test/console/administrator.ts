/** The credential of the administrator that a service with accounts is started with. */
export const token = 'first-administrator-token-of-the-tests';

/** The settings that make her the first account. */
export const auth = { mode: 'accounts', bootstrapToken: token, bootstrapName: 'Ada' };
