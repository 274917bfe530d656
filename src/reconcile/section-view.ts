import type { Store } from '../store/store.ts';
import { readSections, type SectionStates } from './sections.ts';

/** How often what another process learned of the sections is read again, in milliseconds. */
const SECTIONS_REFRESH_MS = 1_000;

/** What is known of the sections, kept in memory because every request asks. */
export interface SectionView {
  current(): SectionStates;
  refresh(): void;
  start(): void;
  stop(): void;
}

/** Reads them, and again now and then once it is started. @throws StoreError */
export async function openSectionView(store: Store): Promise<SectionView> {
  let states = await readSections({ store });
  let timer: NodeJS.Timeout | undefined;
  const refresh = () => {
    // A store that cannot be read now is told by /readyz; what was known stays.
    readSections({ store }).then(
      (read) => {
        states = read;
      },
      () => undefined,
    );
  };
  return {
    current: () => states,
    refresh,
    start() {
      if (store.engine === 'postgres') timer = setInterval(refresh, SECTIONS_REFRESH_MS).unref();
    },
    stop: () => clearInterval(timer),
  };
}
