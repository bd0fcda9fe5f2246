/** The most problems that are listed. */
const PROBLEMS_MAX = 1_000;

export interface Finding {
  tree: string | null;
  node: string | null;
  seq: number | null;
  problem: string;
}

/** What a check has counted and found so far. */
export interface Report {
  trees: number;
  nodes: number;
  outputs: number;
  problems: Finding[];
  problem_count: number;
}

export function newReport(): Report {
  return { trees: 0, nodes: 0, outputs: 0, problems: [], problem_count: 0 };
}

/** Adds a problem; beyond the limit they are only counted. */
export function addProblem(report: Report, problem: string, where: Partial<Omit<Finding, 'problem'>> = {}): void {
  report.problem_count += 1;
  if (report.problems.length >= PROBLEMS_MAX) return;
  report.problems.push({ tree: null, node: null, seq: null, ...where, problem });
}
