import { createHash } from 'node:crypto';
import { geminiParts } from './gemini_frames.js';
import { listOf, objectOf } from './prompt_cache.js';
import { reasoningItem } from './responses_frames.js';
import { type Part, type Script, signatureOf } from './script.js';

type Fields = Record<string, unknown>;

/** What newer servers do with what a model thought: they read it only behind the very request that it answered. */
export interface ThinkingBindings {
  /** Remembers what a script thinks in answer to a request. */
  bind(body: Fields, script: Script): void;
  /** What is wrong with thinking that was made here; null when all of it stands where it was made. */
  violation(body: Fields): string | null;
}

/** The thinking of each server-made signature, by the digests of the model, the tools, the system prompt and all before it. */
export function thinkingBindings(): ThinkingBindings {
  const bound = new Map<string, Set<string>>();
  return {
    bind(body, script) {
      if (script.kind === 'fail') return;
      const { end } = digestsOf(body);
      for (const key of signaturesIn(script.parts, body)) bound.set(key, (bound.get(key) ?? new Set()).add(end));
    },
    violation(body) {
      for (const { signature, digest } of digestsOf(body).thoughts) {
        const places = bound.get(signature);
        if (places === undefined || places.has(digest)) continue;
        if (body.contents !== undefined) return 'Corrupted thought signature.';
        return body.input === undefined
          ? 'messages: Invalid `signature` in `thinking` block. The block is bound to a different conversation.'
          : `The encrypted content ${signature} could not be verified.`;
      }
      return null;
    },
  };
}

/** The marks with which a server signs what it thinks in answer to a request. */
function signaturesIn(parts: readonly Part[], body: Fields): string[] {
  if (body.contents !== undefined) {
    return geminiParts(parts, String(body.model)).flatMap(({ thoughtSignature: mark }) =>
      mark === undefined ? [] : [String(mark)],
    );
  }
  const thoughts = parts.flatMap((part) => (part.kind === 'thinking' ? [part.text] : []));
  return thoughts.map((text) =>
    body.input === undefined ? signatureOf(text) : String(reasoningItem(text).encrypted_content),
  );
}

interface Digests {
  /** Each thought with the digest of all before the answer that it belongs to. */
  thoughts: { signature: string; digest: string }[];
  end: string;
}

function digestsOf({ model, tools, messages, input, contents, ...prompts }: Fields): Digests {
  const { system, instructions, systemInstruction } = prompts;
  let digest = hashOf('', [model, system ?? instructions ?? systemInstruction, tools]);
  let beforeAnswer = digest;
  const thoughts: Digests['thoughts'] = [];
  for (const entry of [...listOf(messages), ...listOf(input), ...listOf(contents)].map(objectOf)) {
    if (!isAnswered(entry)) beforeAnswer = '';
    else if (beforeAnswer === '') beforeAnswer = digest;
    const blocks = [entry, ...listOf(entry.content).map(objectOf), ...listOf(entry.parts).map(objectOf)];
    for (const { signature, encrypted_content: encrypted, thoughtSignature } of blocks) {
      const mark = signature ?? encrypted ?? thoughtSignature;
      if (mark !== undefined) thoughts.push({ signature: String(mark), digest: beforeAnswer });
    }
    digest = hashOf(digest, entry);
  }
  // What goes on with an answer belongs to where that began.
  return { thoughts, end: beforeAnswer === '' ? digest : beforeAnswer };
}

function isAnswered({ role, type }: Fields): boolean {
  return role === 'assistant' || role === 'model' || type === 'reasoning' || type === 'function_call';
}

/** Cache marks move, and are no part of what was said. */
function hashOf(before: string, value: unknown): string {
  const json = JSON.stringify(value, (key, inner) => (key === 'cache_control' ? undefined : inner));
  return createHash('sha256').update(`${before}\n${json}`).digest('hex');
}
