import type { Part } from '../plan/step.ts';
import type { ReconcileDeps } from './deps.ts';
import type { Outcome } from './outcome.ts';
import { BLIND, isBlind, isSectionUp, type ReadableSection } from './sections.ts';
import { type Classified, classify } from './verdict.ts';

/** Result of a look after "not there". `found`: the same answer again is a refusal. `gone`: no second look follows at once. */
export type Missed = 'found' | 'gone';

/** Outcome of a failed call for its resource. A "not there" is looked at, once a run. */
export async function toFailure(
  deps: ReconcileDeps,
  classified: Classified,
  {
    parts,
    section,
    missed,
  }: { parts: readonly Part[]; section: ReadableSection; missed: Missed | undefined },
): Promise<Outcome<never>> {
  const { verdict, problem } = classified;
  if (verdict === 'later') return toLater(classified);
  if (verdict === 'unknown') return { kind: 'unknown', problem, parts };
  if (verdict === 'missing' && missed !== 'found') {
    return { kind: 'unknown', problem, ...(missed === undefined && { lookNow: true }) };
  }
  const isClosed = verdict === 'forbidden' && !(await isSectionUp(deps, section, problem));
  // Where the look found the resource, something else of the request is missing.
  return isClosed ? toLater(classified) : { kind: 'refused', parts, problem };
}

/** Codes of failures of the service at one request. */
const FAILURES: ReadonlySet<string> = new Set(['unavailable', 'unreadable', 'timeout']);

/** Outcome of a failed look: it is made again, and counts as an attempt of what waits for it. A missing right is reported. */
export async function toFailedLook(
  deps: ReconcileDeps,
  error: unknown,
  section: ReadableSection,
): Promise<Outcome<never>> {
  const classified = classify(error);
  const { verdict, problem } = classified;
  if (verdict === 'forbidden') await isSectionUp(deps, section, problem);
  return { ...toLater(classified), ...(FAILURES.has(problem.code) && { failedLook: true }) };
}

/** Outcome of a call that changed and showed nothing: it is repeated at the time the service asked for, or after the usual delay. */
export function toLater({ verdict: _, ...failed }: Classified) {
  return { kind: 'later', ...failed } as const;
}

/** Makes a look, and a second one after a canary, before something is missing. @throws what is not the service's */
export async function lookSurely<Known>(
  deps: ReconcileDeps,
  section: 'users' | 'groups',
  look: () => Promise<Outcome<Known>>,
): Promise<Outcome<Known | { readonly missing: true }>> {
  const lookOnce = async () => {
    try {
      return await look();
    } catch (error) {
      return classify(error).verdict === 'missing' ? undefined : toFailedLook(deps, error, section);
    }
  };
  return (
    (await lookOnce()) ??
    (await findDoubt(deps, section)) ??
    (await lookOnce()) ?? { kind: 'done', known: { missing: true } }
  );
}

/** Outcome of a look that found nothing, where the section may not show what is there; undefined: it shows it. */
export async function findDoubt(
  deps: ReconcileDeps,
  section: 'users' | 'groups',
): Promise<Outcome<never> | undefined> {
  try {
    return (await isBlind(deps, section)) ? { kind: 'later', problem: BLIND } : undefined;
  } catch (error) {
    return toFailedLook(deps, error, section);
  }
}
