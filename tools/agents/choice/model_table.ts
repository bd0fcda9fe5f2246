/** Which agent carries which model: the ids that the makers' own programs take. A person adds lines with the preference `agents.models`. */
export const CARRIED_MODELS: Readonly<Record<string, readonly string[]>> = {
  claude: [
    ...['claude-sonnet-4-5', 'claude-opus-4-5-20251101', 'claude-opus-4-5', 'claude-opus-4-1', 'claude-sonnet-4-6'],
    ...['claude-opus-4-6', 'claude-opus-4-7', 'claude-opus-4-8', 'claude-haiku-4-5', 'claude-sonnet-5'],
    ...['claude-opus-5', 'claude-opus-5-5', 'claude-fable-5', 'claude-fable-5-1'],
  ],
  codex: [
    ...['gpt-5.2', 'gpt-5.2-pro', 'gpt-4.1', 'gpt-5.1-codex-max', 'gpt-5.1-codex-mini', 'o3', 'o4-mini'],
    ...['gpt-5.3', 'gpt-5.3-codex', 'gpt-5.4', 'gpt-5.4-mini', 'gpt-5.4-pro', 'gpt-5.5', 'gpt-5.5-pro'],
    ...['gpt-5.6-luna', 'gpt-5.6-sol', 'gpt-5.6-terra', 'gpt-6-astra', 'gpt-6-luna', 'gpt-6-sol'],
  ],
  gemini: [
    ...['gemini-3-pro-preview', 'gemini-3-flash-preview', 'gemini-3.1-pro-preview', 'gemini-3.1-flash-lite'],
    ...['gemini-3.5-flash', 'gemini-3.6-flash', 'gemini-3.7-flash', 'gemini-3.8-flash'],
  ],
};

/** Models that answer questions and that no agent carries. */
export const MODELS_WITHOUT_AGENT: readonly string[] = ['o3-deep-research', 'o4-mini-deep-research'];

/** Models that are refused, with what stands in their place. */
export const DEPRECATED_MODELS: Readonly<Record<string, string>> = {
  'claude-3-opus': 'claude-opus-5-5',
  'claude-3-sonnet': 'claude-sonnet-5',
  'claude-3-haiku': 'claude-haiku-4-5',
  'gpt-4': 'gpt-6-sol',
  'o1-preview': 'gpt-6-sol',
  'gemini-pro': 'gemini-3.8-flash',
};
