import { lookup } from 'node:dns/promises';
import type { Services } from '../../../lib/plugin-api/index.ts';
import type { CoreToolsOptions } from '../options.ts';
import type { ReachPolicy, Target } from './target.ts';

/** The service `web.reach`: which addresses tools of any plugin may reach. */
export interface WebReach {
  /**
   * Resolves a URL once and checks all of its addresses, to which connections are then made. Rejects with an error that
   * says what is wrong with it.
   * @param options.approvedUrl what a person approved; a private host must be the one that it names
   * @param options.ownPorts more ports of this machine that are never reached
   */
  check(url: string, options: { approvedUrl?: string | undefined; ownPorts?: readonly number[] }): Promise<Target>;
}

/** The policy of `web_fetch` with the operator's options. */
export function createWebReach(
  { allowPrivateHosts }: Pick<CoreToolsOptions, 'allowPrivateHosts'>,
  info: Services['service.info'],
): WebReach {
  return {
    async check(url, { approvedUrl, ownPorts = [] }) {
      const { resolveTarget } = await import('./target.ts');
      const policy: ReachPolicy = {
        allowPrivate: approvedUrl !== undefined && info.authMode !== 'accounts',
        privateHosts: allowPrivateHosts,
        ownPorts: () => [...info.ownPorts(), ...ownPorts],
        lookup: (host) => lookup(host, { all: true }),
      };
      const asked = approvedUrl !== undefined && URL.canParse(approvedUrl) ? new URL(approvedUrl) : undefined;
      return resolveTarget(url, asked, policy);
    },
  };
}
