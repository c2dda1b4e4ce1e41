import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { isListed, isOwnAddress, isVisiblyPrivate, kindOfAddress } from './address-policy.ts';

/** Who asks, and what they may reach. */
export interface ReachPolicy {
  /** A person approved this very call, and there are no other tenants to protect. */
  allowPrivate: boolean;
  /** The operator's exceptions: names, addresses, CIDR ranges. */
  privateHosts: readonly string[];
  ownPorts(): number[];
  lookup(host: string): Promise<LookupAddress[]>;
}

/** Where to connect to: every address was checked, and only they may be used. */
export interface Target {
  url: URL;
  addresses: LookupAddress[];
}

/**
 * Resolves a URL once and checks all of its addresses. `asked` is the URL that was approved: a redirect to another host
 * does not inherit the approval. Throws an error that says what is wrong with it.
 */
export async function resolveTarget(text: string, asked: URL | undefined, policy: ReachPolicy): Promise<Target> {
  const url = parse(text, asked);
  const host = hostOf(url);
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(host, policy) : [{ address: host, family }];
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const approved = policy.allowPrivate && isVisiblyPrivate(host) && (asked === undefined || hostOf(asked) === host);
  for (const { address } of addresses) {
    if (isOwnAddress(address) && policy.ownPorts().includes(port))
      throw new Error(`${host}:${port} is this service itself, which is never fetched.`);
    const kind = kindOfAddress(address);
    if (kind === 'never') throw new Error(`${host} is at an address that is never fetched (${address}).`);
    if (kind === 'private' && !approved && !isListed(policy.privateHosts, host, address))
      throw new Error(`${host} is in a private network (${address}). ${howToAllow(policy)}`);
  }
  return { url, addresses };
}

function parse(text: string, base: URL | undefined): URL {
  if (!URL.canParse(text, base?.href))
    throw new Error('This is no URL. Give one that begins with http:// or https://.');
  const url = new URL(text, base?.href);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error(`Only http and https are fetched, not ${url.protocol.slice(0, -1)}.`);
  if (url.username !== '' || url.password !== '') throw new Error('A URL with a user name or password is not fetched.');
  if (url.hostname === '') throw new Error('The URL names no host.');
  url.hash = '';
  return url;
}

/** Without the brackets of IPv6 and the dot that ends a full name. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

async function resolve(host: string, policy: ReachPolicy): Promise<LookupAddress[]> {
  const addresses = await policy.lookup(host).catch(() => []);
  if (addresses.length === 0) throw new Error(`The host ${host} was not found.`);
  return addresses;
}

function howToAllow(policy: ReachPolicy): string {
  return policy.allowPrivate
    ? 'An approval covers only a host that looks private and was named in the call; the operator can add it to "allowPrivateHosts" of core-tools.'
    : 'The operator can add it to "allowPrivateHosts" of core-tools.';
}
