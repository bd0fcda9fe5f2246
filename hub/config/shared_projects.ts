import { jsonOrNull } from '../base/json/json_or_null.js';

/** A project whose new conversations are shared over a remote. */
export interface SharedProject {
  remote: string;
  /** Its real path. */
  project: string;
}

/** The key under which they stand, in the person's own configuration alone. */
export const SHARED_PROJECTS = 'sharing.projects';

/** Reads what stands there; what is of no known form is passed over: then less is shared. */
export function readSharedProjects(value: string): SharedProject[] {
  const rows = jsonOrNull(value);
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row: unknown) => {
    const [remote, project]: unknown[] = Array.isArray(row) ? row : [];
    return typeof remote === 'string' && typeof project === 'string' ? [{ remote, project }] : [];
  });
}

/** As it is written; null for none. */
export function sharedProjectsText(projects: readonly SharedProject[]): string | null {
  return projects.length === 0 ? null : JSON.stringify(projects.map(({ remote, project }) => [remote, project]));
}
