import { expect, test } from 'vitest';
import type { CheckReport } from './report.ts';
import { toText } from './to-text.ts';

const report: CheckReport = {
  ok: false,
  service: { url: 'https://company.example', apiVersion: 'latest' },
  checks: [
    { id: 'address', title: 'address', status: 'ok', detail: 'answers' },
    { id: 'audit', title: 'audit log', status: 'warning', detail: 'no', remedy: 'Ask.' },
    { id: 'users', title: 'people', status: 'failed', detail: 'bad\u001b[2Jnews' },
  ],
  calls: 1,
};

test('the text is aligned, and nothing commands the terminal', () => {
  expect(toText(report)).toBe(
    [
      'Service  https://company.example (REST under /api/latest)',
      '',
      'ok       address    answers',
      'warning  audit log  no',
      '                    → Ask.',
      'failed   people     bad [2Jnews',
      '',
      '1 failure, 1 warning, 1 call.',
      '',
    ].join('\n'),
  );
});
