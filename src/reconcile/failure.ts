import { assertNever } from '../domain/errors.ts';
import type { Part } from '../plan/step.ts';
import type { ReconcileDeps } from './deps.ts';
import type { Outcome, Problem } from './outcome.ts';
import { BLIND, isBlind, isSectionUp, type ReadableSection } from './sections.ts';
import { type Classified, classify } from './verdict.ts';

/**
 * Result of a look after a call of the same run was answered "not there". `found`: the same answer again is a refusal.
 * `gone`: its replacement is not looked for at once again.
 */
export type Missed = 'found' | 'gone';

/** Context of a failed call. */
interface FailedCall {
  readonly parts: readonly Part[];
  readonly section: ReadableSection;
  /** undefined: no call of this run was answered "not there". */
  readonly missed: Missed | undefined;
}

/** Outcome of a failed call for its resource. */
export async function toFailure(
  deps: ReconcileDeps,
  classified: Classified,
  { parts, section, missed }: FailedCall,
): Promise<Outcome<never>> {
  const { verdict, problem } = classified;
  switch (verdict) {
    case 'missing':
      return toMissing(problem, { parts, missed });
    case 'forbidden':
      return (await isSectionUp(deps, section, problem))
        ? { kind: 'refused', parts, problem }
        : toLater(classified);
    case 'conflict':
    case 'refused':
    case 'smaller':
      return { kind: 'refused', parts, problem };
    case 'later':
      return toLater(classified);
    case 'unknown':
      return { kind: 'unknown', problem, parts };
    default:
      return assertNever(verdict);
  }
}

/** Codes of failures of the service at one request. */
const FAILURES: ReadonlySet<string> = new Set(['unavailable', 'unreadable', 'timeout']);

/**
 * Outcome of a failed look, which is made again, but not for ever: it counts as an attempt of what waits for it. A missing
 * right is found out and reported.
 */
export async function toFailedLook(
  deps: ReconcileDeps,
  classified: Classified,
  section: ReadableSection,
): Promise<Outcome<never>> {
  if (classified.verdict === 'forbidden') await isSectionUp(deps, section, classified.problem);
  const isFailure = FAILURES.has(classified.problem.code);
  return { ...toLater(classified), ...(isFailure && { failedLook: true }) };
}

/**
 * Outcome of a "not there": it is looked at, once a run. Where the look found the resource, something else of the
 * request is missing.
 */
function toMissing(
  problem: Problem,
  { parts, missed }: Pick<FailedCall, 'parts' | 'missed'>,
): Outcome<never> {
  switch (missed) {
    case undefined:
      return { kind: 'unknown', problem, lookNow: true };
    case 'found':
      return { kind: 'refused', parts, problem };
    case 'gone':
      return { kind: 'unknown', problem };
    default:
      return assertNever(missed);
  }
}

/**
 * Outcome of a call that changed and showed nothing: it is repeated at the time the service asked for, or after the
 * usual delay.
 */
export function toLater({
  problem,
  retryAfterMs,
}: Classified): Extract<Outcome<never>, { kind: 'later' }> {
  return { kind: 'later', problem, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/**
 * Makes a look. What it does not find is looked for again, once the section has shown what is surely there: only then it
 * is missing. @throws what `look` throws that is not the service's
 */
export async function lookSurely<Known>(
  deps: ReconcileDeps,
  section: 'users' | 'groups',
  look: () => Promise<Outcome<Known>>,
): Promise<Outcome<Known | { readonly missing: true }>> {
  const first = await lookOnce(deps, section, look);
  if (first !== 'missing') return first;
  const second = (await findDoubt(deps, section)) ?? (await lookOnce(deps, section, look));
  return second === 'missing' ? { kind: 'done', known: { missing: true } } : second;
}

async function lookOnce<Known>(
  deps: ReconcileDeps,
  section: ReadableSection,
  look: () => Promise<Outcome<Known>>,
): Promise<Outcome<Known> | 'missing'> {
  try {
    return await look();
  } catch (error) {
    const classified = classify(error);
    return classified.verdict === 'missing' ? 'missing' : toFailedLook(deps, classified, section);
  }
}

/** Outcome of a look that found nothing, where the section may not show what is there; undefined: it shows it. */
export async function findDoubt(
  deps: ReconcileDeps,
  section: 'users' | 'groups',
): Promise<Outcome<never> | undefined> {
  try {
    return (await isBlind(deps, section)) ? { kind: 'later', problem: BLIND } : undefined;
  } catch (error) {
    return toFailedLook(deps, classify(error), section);
  }
}
