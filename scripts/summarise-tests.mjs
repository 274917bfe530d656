// The last line of .ci/run, from what vitest itself reports.
// Arguments: how "npm run check" ended (passed or failed), then of each run of tests vitest's JSON report and how it ended.
// Plain JavaScript on purpose: it also runs on the old Node versions that machines have.
import { readFileSync } from 'node:fs';

const ENDED = ['passed', 'failed'];
const [check, ...runs] = process.argv.slice(2);
let passed = 0;
let failed = check === 'passed' ? 0 : 1;
let skipped = 0;
let isEmpty = runs.length === 0;
for (let index = 0; index < runs.length; index += 2) {
  const report = readReport(runs[index]);
  passed += report.numPassedTests;
  failed += countFailures(report, runs[index + 1]);
  for (const { assertionResults } of report.testResults)
    skipped += assertionResults.filter(({ status }) => !ENDED.includes(status)).length;
  isEmpty ||= report.numPassedTests === 0;
}

if (check !== 'passed') console.log('"npm run check" failed.');
const closing = `${passed} passed, ${failed} failed`;
console.log(skipped > 0 ? `${closing}, ${skipped} skipped` : closing);
process.exitCode = failed > 0 || isEmpty ? 1 : 0;

function countFailures({ numFailedTests, testResults }, ended) {
  // A file that cannot even be loaded has no tests that could fail, so it counts as one.
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  ).length;
  const failures = numFailedTests + brokenFiles;
  // An error outside of every test fails the run without failing a test.
  return failures === 0 && ended !== 'passed' ? 1 : failures;
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    console.log(`vitest left no report: ${error.message}`);
    return { testResults: [], numFailedTests: 0, numPassedTests: 0 };
  }
}
