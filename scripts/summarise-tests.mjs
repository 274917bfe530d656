// The last line of .ci/run, from what vitest itself reports.
// Arguments: vitest's JSON report, how "npm run check" ended, how "npm test" ended (passed or failed).
// Plain JavaScript on purpose: it also runs on the old Node versions that machines have.
import { readFileSync } from 'node:fs';

const [reportFile, check, tests] = process.argv.slice(2);
const report = readReport(reportFile);

// A file that cannot even be loaded has no tests that could fail, so it counts as one.
const brokenFiles = report.testResults.filter(
  ({ status, assertionResults }) => status === 'failed' && !assertionResults.some(isFailed),
).length;
const failedTests = report.numFailedTests + brokenFiles;
// An error outside of every test fails the run without failing a test.
const strayFailures = tests !== 'passed' && failedTests === 0 ? 1 : 0;
const failed = failedTests + strayFailures + (check === 'passed' ? 0 : 1);
const skipped = report.numPendingTests + report.numTodoTests;

if (check !== 'passed') console.log('"npm run check" failed.');
const closing = `${report.numPassedTests} passed, ${failed} failed`;
console.log(skipped > 0 ? `${closing}, ${skipped} skipped` : closing);
process.exitCode = failed > 0 || report.numPassedTests === 0 ? 1 : 0;

function isFailed({ status }) {
  return status === 'failed';
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    console.log(`vitest left no report: ${error.message}`);
    return {
      testResults: [],
      numFailedTests: 0,
      numPassedTests: 0,
      numPendingTests: 0,
      numTodoTests: 0,
    };
  }
}
