import type { ServerEventEnvelope } from '../../lib/wire/event.ts';

/** What a tab tells the hub. */
export type ToHub =
  | { t: 'hello'; base: string; token: string | undefined }
  /** The sessions whose deltas this tab paints. */
  | { t: 'show'; sessionIds: string[] }
  /** The machine woke up, the network came back, or somebody looks: try now. */
  | { t: 'wake' }
  /** Tell me when a plugin's bundle was saved. */
  | { t: 'follow-bundles' }
  | { t: 'bye' };

export type LinkState =
  | { state: 'connecting' }
  | { state: 'live' }
  /** The stream broke; `retryAt` in milliseconds since the epoch. */
  | { state: 'waiting'; retryAt: number; failedSince: number }
  | { state: 'signed-out' };

/**
 * An envelope as tabs get it. Deltas that came within one flush are merged; `cuts` then lists each part's `seq` and where
 * it ends in `delta`, so that a tab can drop what its snapshot already holds.
 */
export type HubEnvelope = ServerEventEnvelope & { cuts?: number[] };

/** What the hub tells a tab. `opened` counts the connections: above 1, something may have been missed. */
export type FromHub =
  | { t: 'link'; link: LinkState }
  | { t: 'opened'; times: number }
  | { t: 'events'; envelopes: HubEnvelope[] }
  /** A bundle was saved, or may have been while nobody looked. */
  | { t: 'bundles' };

export interface HubPort {
  postMessage(message: FromHub): void;
}
