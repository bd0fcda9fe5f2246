// Prints "N passed, M failed, K skipped" from vitest's JSON reports; fails when a test failed, or a report has none that passed.
import { existsSync, readFileSync } from 'node:fs';

const reports = process.argv.slice(2).map(read);
const passed = sum('numPassedTests');
// A file that could not even be loaded fails its run without a failed test.
const failed =
  sum('numFailedTests') + reports.filter((report) => !report.success && report.numFailedTests === 0).length;
console.log(`${passed} passed, ${failed} failed, ${sum('numPendingTests')} skipped`);
process.exitCode = failed === 0 && reports.every((report) => report.numPassedTests > 0) ? 0 : 1;

function read(path) {
  const none = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, success: false };
  return existsSync(path) ? { ...none, ...JSON.parse(readFileSync(path, 'utf8')) } : none;
}

function sum(field) {
  return reports.reduce((total, report) => total + report[field], 0);
}
