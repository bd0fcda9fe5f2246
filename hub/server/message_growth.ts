/** A message up to this size grows in any case: most are much smaller. */
export const SMALL_BYTES = 64 * 1024;

/** While messages of so many bytes wait for their answers, no other large one is let in. */
const ANSWERING_BYTES_MAX = 8 * 1024 * 1024;

/** One connection's message that has begun to arrive. */
export interface GrowingMessage {
  /** Its bytes so far. */
  arriving: number;
  /** The bytes of earlier ones that are not answered. */
  answering: number;
  arrivingSinceMs: number;
  isHeldBack: boolean;
  actions: { isTrusted(): boolean; holdBack(isOn: boolean): void };
}

/** While the hub holds much, one large message at a time goes on growing; the connections of the others are not read. */
export interface MessageGrowth<M> {
  /** To be called when a message has grown or ended. */
  changed(message: M): void;
  closed(message: M): void;
  /** The one that grows while others wait; null for none. */
  growing(): M | null;
}

interface GrowthParts<M> {
  /** All messages, the oldest connection first. */
  messages: Iterable<M>;
  isTight(): boolean;
  nowMs(): number;
}

export function createMessageGrowth<M extends GrowingMessage>(parts: GrowthParts<M>): MessageGrowth<M> {
  let growing: M | null = null;

  function isFull(): boolean {
    if (growing !== null) return true;
    let answering = 0;
    for (const message of parts.messages) answering += message.answering;
    return answering > ANSWERING_BYTES_MAX;
  }

  function admit(message: M): void {
    if (!parts.isTight()) growing = null;
    else if (message.arriving > SMALL_BYTES && !message.actions.isTrusted() && message !== growing) {
      if (!isFull()) growing = message;
      else if (!message.isHeldBack) setHeldBack(message, true);
    }
  }

  function resumeNext(): void {
    for (const message of parts.messages) {
      if (!message.isHeldBack) continue;
      if (parts.isTight() && isFull()) return;
      if (parts.isTight()) growing = message;
      message.arrivingSinceMs = parts.nowMs();
      setHeldBack(message, false);
    }
  }

  return {
    changed(message) {
      if (message === growing && message.arriving <= SMALL_BYTES) growing = null;
      admit(message);
      resumeNext();
    },
    closed(message) {
      if (message === growing) growing = null;
      resumeNext();
    },
    growing: () => growing,
  };
}

function setHeldBack(message: GrowingMessage, isOn: boolean): void {
  message.isHeldBack = isOn;
  message.actions.holdBack(isOn);
}
