import type { HarmKind, HarmLimit } from '../../domain/harm.ts';
import { createFact } from '../../store/facts.ts';
import type { ReconcileDeps } from '../deps.ts';
import { listProviderHarm } from '../limits.ts';

const FACT = createFact<{ readonly at: number }>('provider-heard');
/** Precision of the time of a provider's last request, in milliseconds. */
const HEARD_MS = 60_000;
/** Age at which a count is renewed, in milliseconds: health is asked for every few seconds. */
const COUNTED_MS = 30_000;

/** Facts about providers for an operator. */
export interface ProviderFacts {
  /** Time since when no provider has asked for anything (epoch milliseconds), where that is too long. */
  readonly silentSince: number | undefined;
  /** Harms that providers did to more subjects within 24 hours than `limits.repair` allows. */
  readonly exceeded: readonly { readonly harm: HarmKind; readonly count: number }[];
}

/** Watch over identity providers. */
export type ProviderWatch = ReturnType<typeof createProviderWatch>;

interface WatchOptions extends Pick<ReconcileDeps, 'store' | 'clock'> {
  readonly limit: HarmLimit;
  /** settings: provider.silenceAfter, in milliseconds; 0: silence is never reported. */
  readonly silenceAfterMs: number;
  readonly onFailure: (error: unknown) => void;
}

/** Creates the watch of one process; the time it notes is kept for all on the same store. */
export function createProviderWatch(options: WatchOptions) {
  const { store, clock, limit, silenceAfterMs, onFailure } = options;
  const beganAt = clock.now();
  let savedAt = 0;
  let counted: { at: number; harm: Promise<ProviderFacts['exceeded']> } | undefined;

  async function findSilence(): Promise<number | undefined> {
    if (silenceAfterMs === 0) return undefined;
    const heard = await FACT.find(store.read);
    const since = Math.max(heard?.at ?? beganAt, savedAt);
    return clock.now() - since > silenceAfterMs ? since : undefined;
  }

  return {
    heard(): void {
      const now = clock.now();
      if (silenceAfterMs === 0 || now - savedAt < HEARD_MS) return;
      savedAt = now;
      store.write((tx) => FACT.save(tx, { at: now }, now)).catch(onFailure);
    },
    async read(): Promise<ProviderFacts> {
      const now = clock.now();
      if (counted === undefined || now - counted.at >= COUNTED_MS) {
        counted = { at: now, harm: listProviderHarm(store.read, limit, now) };
        // A failed count is repeated by the next question; the asker reports the failure.
        counted.harm.catch(() => {
          counted = undefined;
        });
      }
      return { silentSince: await findSilence(), exceeded: await counted.harm };
    },
  };
}
