import type { ProviderRecord } from '../base/provider_records.js';
import type { Jobs } from './jobs/jobs.js';
import type { Provider } from './model/provider.js';
import type { Timers } from './model/timers.js';

/** What every turn of this hub is run with. */
export interface AgentParts {
  /** The provider of a record; the same one for the same record. */
  providerFor(record: ProviderRecord): Provider;
  timers: Timers;
  random(): number;
  newId(): string;
  jobs: Jobs;
  /** How long a job may run. */
  jobMsMax(): number;
  /** Whether models at level orchestrator have tools by which others work. */
  hasOthers(): boolean;
  log(level: 'warn' | 'error', message: string): void;
}
