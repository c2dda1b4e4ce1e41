/** True for a name or address that only this machine can reach; an IPv6 address with or without brackets. */
export function isLoopbackHost(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || loopbackAddress.test(name);
}

/** 127.0.0.0/8, also as IPv6 shows it, which `URL` writes in hexadecimal. */
const loopbackAddress = /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::ffff:7f[\da-f]{2}:[\da-f]{1,4})$/;
