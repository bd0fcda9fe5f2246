/** Marks a stored signature as one of Gemini's; a real signature has no colon. */
const MARK = /^thought_signature:(call|text|thought)(?::(\d+))?:([^:]+)$/;

/** A signature, and the part that it came in: a call, or so many characters of text or of what is told of a thought. */
export interface SignedPart {
  kind: 'call' | 'text' | 'thought';
  length: number;
  signature: string;
}

/** The form in which a signature is stored: in the thinking block before its part, or of the thought itself. */
export function storedSignature({ kind, length, signature }: SignedPart): string | null {
  if (signature === '' || signature.includes(':')) return null;
  return `thought_signature:${kind}:${kind === 'call' ? '' : `${length}:`}${signature}`;
}

/** The part of a stored signature; null for a signature of another kind. */
export function signedPart(stored: string | null): SignedPart | null {
  const [, kind, length = '0', signature] = MARK.exec(stored ?? '') ?? [];
  if (signature === undefined || (kind !== 'call' && kind !== 'text' && kind !== 'thought')) return null;
  return { kind, length: Number(length), signature };
}
