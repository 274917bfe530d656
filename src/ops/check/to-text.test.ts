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
  guesses: [
    { id: 'a', guess: 'ids are numbers', verdict: 'confirmed', observed: 'number' },
    { id: 'b', guess: 'a filter works', verdict: 'unknown', setting: 'upstream.filter' },
    {
      id: 'c',
      guess: 'pages are large',
      verdict: 'refuted',
      observed: '20 at most',
      setting: 'upstream.pageSize',
      value: 20,
    },
  ],
  calls: 1,
};

test('the text is aligned, what differs comes first, and nothing commands the terminal', () => {
  expect(toText(report)).toBe(
    [
      'Service  https://company.example (REST under /api/latest)',
      '',
      'ok       address    answers',
      'warning  audit log  no',
      '                    → Ask.',
      'failed   people     bad [2Jnews',
      '',
      'What the documents leave open:',
      'refuted    pages are large  20 at most; set upstream.pageSize: 20',
      'unknown    a filter works   upstream.filter',
      'confirmed  ids are numbers  number',
      '',
      '1 failure, 1 warning, 1 call.',
      '',
    ].join('\n'),
  );
});
