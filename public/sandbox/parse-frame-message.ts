import { type Extension, type FromFrame, type Match, type Slot, slots } from './protocol.ts';

const maxExtensions = 32;
const maxBodyChars = 1_000_000;

/** What a frame said, or undefined: a bundle can say anything, so every field is checked by type and size and copied. */
export function parseFrameMessage(data: unknown): FromFrame | undefined {
  if (!isRecord(data)) return undefined;
  switch (data.t) {
    case 'discovered':
      return Array.isArray(data.extensions)
        ? { t: 'discovered', extensions: toExtensions(data.extensions) }
        : undefined;
    case 'mounted':
    case 'disposed':
      return { t: data.t };
    case 'focus':
      return typeof data.turn === 'number' ? { t: 'focus', turn: data.turn } : undefined;
    case 'input':
      return { t: 'input', pointer: data.pointer === true };
    case 'fail':
      return { t: 'fail', stage: text(data.stage, 20), message: text(data.message, 500) };
    case 'size':
      return typeof data.height === 'number' && Number.isFinite(data.height)
        ? { t: 'size', height: data.height }
        : undefined;
    case 'violation':
      return { t: 'violation', kind: text(data.kind, 60), detail: text(data.detail, 200) };
    case 'pong':
      return typeof data.n === 'number' ? { t: 'pong', n: data.n } : undefined;
    case 'req':
      return toRequest(data);
    case 'submit':
      return typeof data.text === 'string' ? { t: 'submit', text: data.text } : undefined;
    default:
      return undefined;
  }
}

/** What was registered, without what has no id, no slot of ours, or the id of another. */
function toExtensions(list: readonly unknown[]): Extension[] {
  const seen = new Set<string>();
  return list.slice(0, maxExtensions).flatMap((entry): Extension[] => {
    if (!isRecord(entry)) return [];
    const { id, slot, order } = entry;
    if (typeof id !== 'string' || id === '' || id.length > 100 || seen.has(id) || !isSlot(slot)) return [];
    seen.add(id);
    return [
      {
        id,
        slot,
        order: typeof order === 'number' && Number.isFinite(order) ? order : 100,
        match: toMatch(entry.match),
      },
    ];
  });
}

function toMatch(value: unknown): Match {
  if (!isRecord(value)) return {};
  const { roles, toolNames, extensions } = value;
  return {
    ...(Array.isArray(roles) ? { roles: strings(roles) } : {}),
    ...(Array.isArray(toolNames) ? { toolNames: strings(toolNames) } : {}),
    ...(Array.isArray(extensions) ? { extensions: strings(extensions).map((name) => name.toLowerCase()) } : {}),
  };
}

function toRequest({ id, path, method, headers, body }: Record<string, unknown>): FromFrame | undefined {
  if (typeof id !== 'number' || typeof path !== 'string' || typeof method !== 'string') return undefined;
  if (path.length > 10_000 || method.length > 20) return undefined;
  if (body !== undefined && (typeof body !== 'string' || body.length > maxBodyChars + 1)) return undefined;
  const plain = isRecord(headers) ? Object.entries(headers).slice(0, 64) : [];
  const kept = plain.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return { t: 'req', id, path, method, headers: Object.fromEntries(kept), ...(body === undefined ? {} : { body }) };
}

function strings(list: readonly unknown[]): string[] {
  return list.filter((item): item is string => typeof item === 'string' && item.length <= 200).slice(0, 100);
}

function text(value: unknown, limit: number): string {
  return typeof value === 'string' ? value.slice(0, limit) : '';
}

function isSlot(value: unknown): value is Slot {
  return slots.some((slot) => slot === value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
