import { toSummary } from '../session/summary.ts';
import type { SessionView } from '../tools/tool.ts';
import type { SessionRecord } from '../wire/session.ts';

/** What plugins see of a session. */
export function sessionView(record: SessionRecord): SessionView {
  return Object.freeze({ ...toSummary(record), tenantId: record.tenantId, rootId: record.rootId });
}
