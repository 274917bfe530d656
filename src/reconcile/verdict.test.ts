import { describe, expect, test } from 'vitest';
import { type Outcome, UpstreamError, type UpstreamErrorCode } from '../upstream/errors.ts';
import { classify, isRefusal, type Verdict } from './verdict.ts';

/** Verdict of a code, whatever is known of the effect; undefined when the effect decides. */
const VERDICTS: Readonly<Record<UpstreamErrorCode, Verdict | undefined>> = {
  refused: 'refused',
  'not-permitted': 'forbidden',
  'not-found': 'missing',
  conflict: 'conflict',
  'too-large': 'smaller',
  'credentials-refused': undefined,
  'rate-limited': undefined,
  unavailable: undefined,
  redirected: undefined,
  unreadable: undefined,
  'response-too-large': undefined,
  connection: undefined,
  timeout: undefined,
  aborted: undefined,
  'circuit-open': undefined,
  overloaded: undefined,
  'observe-mode': undefined,
  'writes-paused': undefined,
  stopped: undefined,
  closed: undefined,
};
const BY_EFFECT: Readonly<Record<Outcome, Verdict>> = {
  'not-sent': 'later',
  answered: 'later',
  unknown: 'unknown',
};

const table = Object.entries(VERDICTS).flatMap(([code, verdict]) =>
  Object.entries(BY_EFFECT).map(([outcome, byEffect]) => ({
    code,
    outcome,
    want: verdict ?? byEffect,
  })),
);

function makeError(code: string, fields: object = {}): UpstreamError {
  const failure = { operation: 'scim.getUser', detail: 'why', retry: 'later', outcome: 'answered' };
  return Reflect.construct(UpstreamError, [code, { ...failure, ...fields }]);
}

describe('what a failed call means', () => {
  test.each(table)('$code, $outcome: $want', ({ code, outcome, want }) => {
    expect(classify(makeError(code, { outcome })).verdict).toBe(want);
  });

  test("the service's own words are kept, with the status and what it asked for", () => {
    const error = makeError('refused', {
      status: 400,
      words: 'No such tariff',
      retryAfterMs: 7_000,
    });

    expect(classify(error)).toEqual({
      verdict: 'refused',
      problem: { code: 'refused', words: 'No such tariff', status: 400 },
      retryAfterMs: 7_000,
    });
  });

  test('without words ours serve, and what is not known is absent', () => {
    expect(classify(makeError('connection', { outcome: 'unknown' }))).toStrictEqual({
      verdict: 'unknown',
      problem: { code: 'connection', words: 'scim.getUser: connection: why' },
    });
  });

  test('what is not the service’s is not classified: it goes on up', () => {
    const bug = new TypeError('a bug');

    expect(() => classify(bug)).toThrow(bug);
    expect(() => classify('text')).toThrow('text');
  });

  test('only a refusal and a conflict are a no to what was asked', () => {
    const verdicts: Verdict[] = [
      'refused',
      'conflict',
      'forbidden',
      'missing',
      'smaller',
      'later',
      'unknown',
    ];
    const problem = { code: 'refused', words: 'no' };

    const no = verdicts.filter((verdict) => isRefusal({ verdict, problem }));

    expect(no).toEqual(['refused', 'conflict']);
  });
});
