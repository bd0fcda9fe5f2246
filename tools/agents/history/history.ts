/** A conversation as another program has kept it: its turns in their order, each behind its parent. */
export interface History {
  /** Its id in that program. */
  session: string | null;
  /** The folder that it worked in. */
  cwd: string | null;
  /** What a person has called it. */
  name: string | null;
  /** The session whose agent it was. */
  parentSession: string | null;
  /** The session that it goes on from, up to this record. */
  base: { session: string; end: number } | null;
  turns: HistoryTurn[];
  /** Turns whose parent is missing: they are at the root. */
  orphans: number;
}

export interface HistoryTurn {
  parent: HistoryTurn | null;
  kind: 'user' | 'assistant' | 'summary' | 'command';
  atMs: number;
  text: string;
  thinking: string;
  images: readonly HistoryImage[];
  /** What an assistant called; of a command exactly one. */
  calls: HistoryCall[];
}

export interface HistoryImage {
  base64: string;
}

export interface HistoryCall {
  /** Empty for what a person ran. */
  id: string;
  tool: string;
  input: unknown;
  /** Null while there is no result. */
  output: string | null;
  failed: boolean;
  exitCode: number | null;
  /** The session of the agent that it started. */
  agent: string | null;
}

type TurnContent = Partial<HistoryTurn> & Pick<HistoryTurn, 'kind' | 'atMs'>;
type GivenResult = Pick<HistoryCall, 'output' | 'failed'> & Partial<HistoryCall>;

/** A history while its records are read. */
export interface HistoryDraft {
  history: History;
  add(parent: HistoryTurn | null, content: TurnContent): HistoryTurn;
  call(turn: HistoryTurn, call: Pick<HistoryCall, 'id' | 'tool' | 'input'> & Partial<HistoryCall>): void;
  /** Gives a call its result. */
  answer(call: string, result: GivenResult): void;
}

export function createHistory(): HistoryDraft {
  const history: History = {
    ...{ session: null, cwd: null, name: null, parentSession: null, base: null },
    ...{ turns: [], orphans: 0 },
  };
  const calls = new Map<string, HistoryCall>();
  return {
    history,
    add(parent, content) {
      const turn = { parent, text: '', thinking: '', images: [], calls: [], ...content };
      history.turns.push(turn);
      return turn;
    },
    call(turn, call) {
      const made = { output: null, failed: false, exitCode: null, agent: null, ...call };
      turn.calls.push(made);
      calls.set(made.id, made);
    },
    answer(id, result) {
      const call = calls.get(id);
      if (call !== undefined) Object.assign(call, result);
    },
  };
}

/** Adds a text to that of a turn, on a line of its own. */
export function addText(turn: HistoryTurn, key: 'text' | 'thinking', text: string | null): void {
  if (text === null || text === '') return;
  turn[key] += turn[key] === '' ? text : `\n\n${text}`;
}

/** Whether a turn says anything. */
export function saysNothing({ text, thinking, images, calls }: TurnContent): boolean {
  return `${text ?? ''}${thinking ?? ''}`.trim() === '' && (images ?? []).length === 0 && (calls ?? []).length === 0;
}

/** The data of an image in a `data:` address. */
export function imageInAddress(address: string | null): HistoryImage[] {
  const base64 = /^data:image\/[a-z+.-]+;base64,(.+)$/s.exec(address ?? '')?.[1];
  return base64 === undefined ? [] : [{ base64 }];
}
