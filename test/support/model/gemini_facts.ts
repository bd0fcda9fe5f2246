/** What Google says of its models, written down apart from the program: a strict server goes by it. */
export interface GeminiFacts {
  /** Null for a model without levels. */
  levels: readonly string[] | null;
  /** The least and the most tokens to think, and whether 0 switches it off; null for a model without a budget. */
  budget: { min: number; max: number; canBeOff: boolean } | null;
  /** Whether calls of the current turn must be signed. */
  isSigned: boolean;
  outputTokensMax: number;
}

const NEW = { budget: null, isSigned: true, outputTokensMax: 65_536 };
const OLD = { levels: null, isSigned: false, outputTokensMax: 65_536 };
const ALL = ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'];
const MOST = ALL.slice(1);

const MODELS: Readonly<Record<string, GeminiFacts>> = {
  'gemini-4-argon': { ...NEW, levels: MOST },
  'gemini-3.8-flash': { ...NEW, levels: MOST },
  'gemini-3.5-flash': { ...NEW, levels: ALL },
  'gemini-3.5-flash-lite': { ...NEW, levels: ALL },
  'gemini-3.1-pro-preview': { ...NEW, levels: MOST },
  'gemini-3-pro-preview': { ...NEW, levels: ['LOW', 'HIGH'] },
  'gemini-2.5-pro': { ...OLD, budget: { min: 128, max: 32_768, canBeOff: false } },
  'gemini-2.5-flash': { ...OLD, budget: { min: 0, max: 24_576, canBeOff: true } },
  'gemini-2.5-flash-lite': { ...OLD, budget: { min: 512, max: 24_576, canBeOff: true } },
  'gemini-2.0-flash': { ...OLD, budget: null, outputTokensMax: 8_192 },
};
export const GEMINI_MODELS = Object.keys(MODELS);

const METHOD = /^\/v1beta\/models\/([^/:]+):streamGenerateContent\?alt=sse$/;

/** The model that a path asks for; null where it is no path of this protocol. */
export function geminiModelIn(path: string): string | null {
  return METHOD.exec(path)?.[1] ?? null;
}

/** Null for a model that there is not. */
export function geminiFacts(model: unknown): GeminiFacts | null {
  return MODELS[String(model)] ?? null;
}
