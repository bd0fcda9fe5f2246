import type { PreferenceKind } from './preference_value.js';

export interface Preference {
  key: string;
  description: string;
  default: string;
  /** Environment variables that set it, the strongest first. */
  environment: readonly string[];
  kind: PreferenceKind;
  /** Whether a project's own file may set it: nothing that runs a command or concerns other projects. */
  project: boolean;
}

/** Every preference with a key of its own; `postgres.<name>` is one for each database that a person names. */
export const PREFERENCES: readonly Preference[] = [
  {
    key: 'color',
    description: 'Colours on the terminal.',
    default: 'auto',
    environment: ['COGNITION_COLOR'],
    kind: { type: 'choice', values: ['auto', 'always', 'never'] },
    project: true,
  },
  {
    key: 'pager',
    description: 'The command that shows long output page by page, where it is installed; `cat` for none.',
    default: 'less -R',
    environment: ['COGNITION_PAGER', 'PAGER'],
    kind: { type: 'command' },
    project: false,
  },
  {
    key: 'ascii',
    description: 'Draw trees with ASCII characters only.',
    default: 'false',
    environment: ['COGNITION_ASCII'],
    kind: { type: 'flag' },
    project: true,
  },
  {
    key: 'wrap',
    description:
      'Where long lines break in `chat`: `terminal` leaves it to the terminal, so that what is copied has no line breaks in it; `words` breaks between words.',
    default: 'terminal',
    environment: ['COGNITION_WRAP'],
    kind: { type: 'choice', values: ['terminal', 'words'] },
    project: true,
  },
  {
    key: 'model',
    description:
      'The model that new conversations begin with, as `provider/model` or by a short name such as `sonnet`.',
    default: '',
    environment: ['COGNITION_MODEL'],
    kind: { type: 'command' },
    project: false,
  },
  {
    key: 'compact',
    description: 'Whether a conversation is summarised by itself when the window of its model is nearly full.',
    default: 'auto',
    environment: [],
    kind: { type: 'choice', values: ['auto', 'off'] },
    project: true,
  },
  {
    key: 'window',
    description:
      'Tokens that fit the window of models of which that is not known, such as those of a server of your own.',
    default: '',
    environment: [],
    kind: { type: 'number', least: 1, most: 100_000_000 },
    project: false,
  },
  {
    key: 'hub.idle_minutes',
    description: 'Minutes after which a hub without clients and without work ends by itself.',
    default: '30',
    environment: [],
    kind: { type: 'number', least: 0.001, most: 525_600 },
    project: false,
  },
  {
    key: 'output.megabytes_max',
    description: 'Megabytes of one output that are stored; of a longer one its head and its tail are.',
    default: '50',
    environment: [],
    kind: { type: 'number', least: 0.001, most: 1_000 },
    project: false,
  },
  {
    key: 'http.allow',
    description: 'Hosts that may be fetched from although their addresses are private, such as `localhost:8080`.',
    default: '',
    environment: [],
    kind: { type: 'command' },
    project: false,
  },
];
