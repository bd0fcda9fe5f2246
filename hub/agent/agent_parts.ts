import type { Provider } from './model/provider.js';
import type { Timers } from './model/timers.js';

/** What every turn of this hub is run with. */
export interface AgentParts {
  /** Where the person keeps instructions and skills of their own. */
  home: string;
  /** The person's home folder. */
  userHome: string;
  providers: Record<string, Provider>;
  timers: Timers;
  random(): number;
  newId(): string;
  log(level: 'warn' | 'error', message: string): void;
}
