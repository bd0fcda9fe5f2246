// Usage: node .dev/summary.mjs <vitest's JSON report>… [--again <report of the files that failed, run once more>]
// Names each test that failed, with what it said; last line "N passed, M failed, K skipped". Fails when a test failed in both
// runs, a file could not be loaded, or a report has no test that passed.
import { existsSync, readFileSync } from 'node:fs';

const words = process.argv.slice(2);
const split = words.includes('--again') ? words.indexOf('--again') : words.length;
const reports = words.slice(0, split).map(read);
const passedAgain = new Set(
  words.slice(split + 1).flatMap((path) => testsOf(read(path), 'passed').map(({ id }) => id)),
);

const failures = reports.flatMap((report) => testsOf(report, 'failed'));
const mended = failures.filter(({ id }) => passedAgain.has(id));
const lasting = failures.filter(({ id }) => !passedAgain.has(id));
// A file that could not even be loaded fails its run without a failed test.
const unloaded = reports.filter((report) => !report.success && report.numFailedTests === 0).length;

for (const { id } of mended) {
  console.log(`failed at first, passed when run once more: ${id}`);
}
for (const { id, said } of lasting) {
  console.log(`FAILED ${id}\n       ${said}`);
}
const failed = lasting.length + unloaded;
const passed = sum('numPassedTests') + mended.length;
console.log(`${passed} passed, ${failed} failed, ${sum('numPendingTests')} skipped`);
process.exitCode = failed === 0 && reports.every((report) => report.numPassedTests > 0) ? 0 : 1;

function read(path) {
  const none = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, success: false, testResults: [] };
  return existsSync(path) ? { ...none, ...JSON.parse(readFileSync(path, 'utf8')) } : none;
}

function testsOf(report, status) {
  return report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter((test) => test.status === status)
      .map((test) => ({
        id: `${name.slice(name.indexOf('/test/') + 1)} > ${test.fullName}`,
        said: (test.failureMessages?.[0] ?? '').split('\n').slice(0, 6).join('\n       '),
      })),
  );
}

function sum(field) {
  return reports.reduce((total, report) => total + report[field], 0);
}
