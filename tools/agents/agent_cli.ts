import type {
  AgentAbility,
  AgentId,
  AgentModel,
  AgentName,
  ExchangeEvent,
  Fault,
} from '../../hub/protocol/outside_agent.js';
import type { Level } from '../../hub/protocol/turn.js';
import type { PastTurn, SeedPlace } from './history/past_turn.js';
import type { RoleTool } from './roles/role_file.js';

/** The CLI of an outside agent: all that is known of it stands in one file, which makes one of these. */
export interface AgentCli {
  /** As people type it. */
  name: AgentName;
  /** The program, looked up in the search path. */
  executable: string;
  /** The command that installs it. */
  install: string;
  /** The arguments with which it logs a person in. */
  login: readonly string[];
  /** What its login leaves below its home. */
  loginFiles: readonly string[];
  /** The variables of a person that reach it: keys and addresses, the first being the usual one. */
  variables: readonly [string, ...string[]];
  /** The model names that it carries. */
  models: readonly RegExp[];
  abilities: readonly AgentAbility[];
  /** Its configuration, written below its home before each start, and what its environment says. */
  home(want: HomeRequest): HomeContent;
  transport: Transport;
  /** Why its process ended before the exchange did. */
  fault(end: ProcessEnd): Fault;
  /** How old a session must be before another process can go on in it. */
  resumesAfterMs?: number;
  /** Turns of others in its own form; absent where it takes none. */
  seed?(history: readonly PastTurn[], place: SeedPlace): Seeding;
}

export interface HomeRequest {
  level: Level;
  /** What its role may use; null for all that it has. */
  tools: readonly RoleTool[] | null;
  /** Where its home is for it: inside a sandbox that is another path. */
  home: string;
  cwd: string;
}

export interface HomeContent {
  /** Texts by their paths below the home. */
  files: Readonly<Record<string, string>>;
  environment: Readonly<Record<string, string>>;
}

/** How an exchange begins. */
export type Opening =
  | { kind: 'new' }
  | { kind: 'resume'; session: AgentId }
  /** A copy of a session up to a point, or of all of it. */
  | { kind: 'fork'; session: AgentId; at: AgentId | null }
  /** A new session that is told these first, in the agent's own form. */
  | { kind: 'items'; items: readonly object[] };

/** What a process is started for. */
export interface AgentStart {
  opening: Opening;
  cwd: string;
  level: Level;
  model: AgentModel | null;
  /** What its role may use; null for all that it has. */
  tools: readonly RoleTool[] | null;
  /** Added to the agent's own system prompt. */
  instructions: string | null;
  /** Requests to its model in one exchange, where it can count them. */
  turnsMax: number;
}

/** How one speaks with a process of a CLI, which listens on its standard input and is kept for further exchanges. */
export interface Transport {
  arguments(start: AgentStart): string[];
  /** A pure machine: it reads lines, and writes lines and events to the wire. */
  converse(wire: Wire, start: AgentStart): AgentDialogue;
}

export interface Wire {
  /** Writes a message to the standard input as one line of JSON. */
  send(message: object): void;
  emit(event: ExchangeEvent): void;
}

/** Both sides of what is said with one process. */
export interface AgentDialogue {
  /** Takes one line of its standard output. */
  take(message: Message): void;
  /** Begins an exchange; while one is under way it steers that. */
  say(text: string): void;
  answer(question: string, decision: Decision): void;
  /** Asks the agent to stop; the exchange ends by its event `ended`. */
  cancel(): void;
}

/** A line of JSON: an object, of which nothing is known. */
export type Message = Readonly<Record<string, unknown>>;

export type Decision =
  | { kind: 'allow'; input?: unknown }
  | { kind: 'deny'; reason: string }
  | { kind: 'words'; text: string };

export interface ProcessEnd {
  code: number | null;
  signal: string | null;
  /** The last lines of its standard error. */
  stderr: string;
}

/** A seeded session: files below the agent's home that it then resumes, or items that a new session is told. */
export type Seeding =
  | {
      kind: 'session';
      session: AgentId;
      files: Readonly<Record<string, string>>;
      /** The words with which its program takes the files in first, by where its home is for it. */
      takeIn?(home: string): string[];
    }
  | { kind: 'items'; items: readonly object[] };
