// Prints "N passed, M failed" from vitest's JSON report; fails when a test failed or none ran.
import { readFileSync } from 'node:fs';

const text = readFileSync(process.argv[2] ?? '', 'utf8');
const report = text === '' ? { numPassedTests: 0, numFailedTests: 0, success: false } : JSON.parse(text);
// A file that could not even be loaded fails the run without a failed test.
const failed = report.success ? 0 : Math.max(1, report.numFailedTests);
console.log(`${report.numPassedTests} passed, ${failed} failed`);
process.exitCode = failed === 0 && report.numPassedTests > 0 ? 0 : 1;
