import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** `never` may not be reached by anybody: metadata services of clouds, and addresses that are no single machine. */
export type AddressKind = 'public' | 'private' | 'never';

type Address = ReturnType<typeof ipaddr.process>;
type Range = ReturnType<typeof ipaddr.parseCIDR>;

/** Where clouds hand their credentials to whoever asks from inside. */
const metadataRanges = [
  '169.254.169.0/24',
  '169.254.170.0/24',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
].map((range) => ipaddr.parseCIDR(range));

const globalUnicast = ipaddr.parseCIDR('2000::/3');
const privateKinds = ['private', 'loopback', 'linkLocal', 'carrierGradeNat', 'uniqueLocal', 'deprecatedSiteLocal'];

/** What kind of place an address is. Addresses that carry an IPv4 address in them are judged by that one. */
export function kindOfAddress(text: string): AddressKind {
  if (!ipaddr.isValid(text)) return 'never';
  const address = ipaddr.process(text);
  if (metadataRanges.some((range) => isIn(address, range))) return 'never';
  const range = address.range();
  if (privateKinds.includes(range)) return 'private';
  if (range === 'rfc6052') return kindOfAddress(embeddedIpv4(address));
  if (range !== 'unicast') return 'never';
  return address.kind() === 'ipv4' || isIn(address, globalUnicast) ? 'public' : 'never';
}

/** True for an address of this very machine. */
export function isOwnAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  const range = address.range();
  if (range === 'loopback' || range === 'unspecified') return true;
  if (range === 'rfc6052') return isOwnAddress(embeddedIpv4(address));
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  return own.some((one) => ipaddr.process(one.address).toNormalizedString() === address.toNormalizedString());
}

/** True when a host is on the operator's list of names, addresses and CIDR ranges. */
export function isListed(list: readonly string[], host: string, address: string): boolean {
  return list.some((entry) => {
    if (entry.toLowerCase() === host) return true;
    if (entry.includes('/') && ipaddr.isValidCIDR(entry)) return isIn(ipaddr.process(address), ipaddr.parseCIDR(entry));
    return ipaddr.isValid(entry) && ipaddr.process(entry).toString() === ipaddr.process(address).toString();
  });
}

/**
 * True when a person who reads the host sees that it is not on the public internet: a private address, a name without a
 * dot, or one below a domain for local use. What only resolves to a private address is not what they approved.
 */
export function isVisiblyPrivate(host: string): boolean {
  if (ipaddr.isValid(host)) return kindOfAddress(host) === 'private';
  return !host.includes('.') || /\.(?:localhost|local|lan|home|internal|intranet|corp|test|home\.arpa)$/.test(host);
}

function isIn(address: Address, range: Range): boolean {
  return address.kind() === range[0].kind() && address.match(range);
}

/** The last 32 bits of a translated address (64:ff9b::/96). Other lengths of prefix are never used, so they say nothing. */
function embeddedIpv4(address: Address): string {
  const bytes = address.toByteArray();
  const isWellKnown = bytes.slice(4, 12).every((byte) => byte === 0);
  return isWellKnown ? bytes.slice(12).join('.') : '';
}
