import * as z from 'zod';
import { methods } from '../method.js';
import { Policy } from '../policy.js';
import { BashSessionId, cwd, onTools, path, ToolAnswer, tool } from './tool_methods.js';

const count = z.int().nonnegative();

/** The bash session whose `/tmp` a contained call sees as such; null for the one of the machine. */
const session = BashSessionId.nullable().default(null);

/** What a model cannot see from where it is. */
const Environment = z.strictObject({
  /** By the clock of the tools. */
  date: z.string(),
  system: z.string(),
  /** Null outside of a repository. */
  branch: z.string().nullable(),
});

export const fileMethods = methods({
  'file.read': {
    ...onTools,
    description: 'Reads lines of a text file, or an image; what is binary is named as such.',
    params: z.strictObject({
      ...tool,
      path,
      cwd,
      /** The first line, counted from 1. */
      offset: z.int().positive().default(1),
      /** How many lines; null for all of the file. */
      limit: z.int().positive().nullable().default(2_000),
      policy: Policy,
      session,
      /** The project that contains the file: links must not lead out of it. Null for a file outside any project. */
      inside: z.string().max(4_096).nullable().default(null),
    }),
    result: ToolAnswer,
    forModels: true,
    callerGone: 'cancel',
  },
  'file.write': {
    ...onTools,
    description: 'Writes a file whole, in one step; folders above it are made.',
    params: z.strictObject({ ...tool, path, cwd, content: z.string(), policy: Policy, session }),
    result: ToolAnswer,
    forModels: true,
  },
  'file.edit': {
    ...onTools,
    description: 'Replaces a text that stands exactly once in a file.',
    params: z.strictObject({
      ...tool,
      path,
      cwd,
      old_text: z.string().min(1),
      new_text: z.string(),
      policy: Policy,
      session,
    }),
    result: ToolAnswer,
    forModels: true,
  },
  'file.change_preview': {
    ...onTools,
    description: 'Tells what writing or editing a file would change, line by line; nothing is written.',
    params: z.strictObject({
      path,
      cwd,
      place: tool.place,
      policy: Policy,
      session,
      change: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('write'), content: z.string() }),
        z.strictObject({ kind: z.literal('edit'), old_text: z.string().min(1), new_text: z.string() }),
      ]),
    }),
    /** The file by its real path, on one line. */
    result: z.strictObject({ name: z.string(), diff: z.string() }),
  },
  'file.project_read': {
    ...onTools,
    description:
      'Reads what a turn begins with: where it works, and the instructions, skills and plan of the project and the person.',
    params: z.strictObject({
      /** Of the tree; null for none. */
      project: z.string().max(4_096).nullable(),
      /** The folder of the branch; null when unknown. */
      branch: z.string().max(4_096).nullable(),
      /** The caller's working folder, used when the others no longer exist. */
      caller: z.string().max(4_096),
      parts: z.array(z.enum(['instructions', 'skills', 'environment', 'plan'])).max(4),
    }),
    result: z.strictObject({
      /** Real paths; null when none of the folders is there. */
      project: z.string().nullable(),
      cwd: z.string().nullable(),
      /** Of a file that is cut only the beginning, which says so. */
      instructions: z.array(z.strictObject({ path: z.string(), text: z.string(), cut: z.boolean() })),
      skills: z.array(z.strictObject({ name: z.string(), description: z.string(), path: z.string() })),
      environment: Environment.nullable(),
      plan: z.string().nullable(),
      /** Files that were not read, because they lead out of the project or to what is hidden. */
      refused: z.array(z.string()),
    }),
  },
  'file.command_list': {
    ...onTools,
    description: 'Lists the commands that a project and the person have written for the chat, as Markdown files.',
    params: z.strictObject({ project: path }),
    result: z.strictObject({
      commands: z.array(z.strictObject({ name: z.string(), description: z.string(), text: z.string() })),
    }),
  },
  'file.path_resolve': {
    ...onTools,
    description: 'Tells where a path really leads, as far as it is there.',
    params: z.strictObject({ path }),
    result: z.strictObject({ path: z.string() }),
  },
  'file.project_list': {
    ...onTools,
    description:
      'Sends the files below a folder that git would list, without running it; outside of a repository all but generated ones.',
    params: z.strictObject({ folder: path, stream: z.string().min(1).max(200) }),
    result: z.strictObject({
      count,
      /** False when there are too many files, or reading them took too long. */
      is_whole: z.boolean(),
    }),
    /** Paths relative to the folder, without those that cannot be typed. */
    event: z.strictObject({ kind: z.literal('files_found'), paths: z.array(z.string()) }),
    callerGone: 'cancel',
  },
  'file.project_measure': {
    ...onTools,
    description: 'Estimates the tokens of the text files below a folder that git would list, a token for 4 bytes.',
    params: z.strictObject({
      folder: path,
      /** Files and folders to count, relative to the folder; all of it when empty. */
      paths: z.array(z.string().min(1).max(4_096)).max(100).default([]),
      /** How many of the largest are named. */
      top: z.int().positive().max(100).default(10),
    }),
    result: z.strictObject({
      ...{ files: count, binary_files: count, bytes: count, tokens: count },
      largest: z.array(z.strictObject({ path: z.string(), tokens: count })),
      folders: z.array(z.strictObject({ path: z.string(), tokens: count })),
      /** False when there are too many files, or reading them took too long. */
      is_whole: z.boolean(),
    }),
    callerGone: 'cancel',
  },
});
