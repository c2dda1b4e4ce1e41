import type { Checkpoint } from './checkpoint.ts';
import type { ChatMessage, StoredMessage } from './message.ts';

/** A part of a transcript, oldest first. Images are references: their bytes are at `GET /api/sessions/:id/images/:hash`. */
export interface MessagePage {
  messages: StoredMessage[];
  /** True when there are older ones. */
  more: boolean;
  total: number;
  /** The newest event that the answer includes. */
  lastSeq: number;
  /** The reply that is being streamed, as far as events up to `lastSeq` have told it. */
  streaming?: ChatMessage;
}

/** Contract: Rewind response. */
export interface Rewound {
  messageId: string;
  removed: number;
  messages: ChatMessage[];
  restored: Checkpoint | null;
  safety: Checkpoint | null;
  /** Why files were left alone. */
  warning: string | null;
}
