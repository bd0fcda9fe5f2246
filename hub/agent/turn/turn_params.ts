import type { ParsedOf } from '../../protocol/methods/method_table.js';

export type RunParams = ParsedOf<'agent.run'>;
export type CompactParams = ParsedOf<'agent.compact'>;
export type AnswerParams = ParsedOf<'agent.answer'>;
