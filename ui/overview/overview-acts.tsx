import { PAUSE, RESUME, RETRY, SWEEP } from '../../src/ops/lists/acts.ts';
import type { Ops } from '../api/types.ts';
import { Act, Acts } from '../parts/act.tsx';
import { Section } from '../parts/page.tsx';

const WARNING =
  'Nothing is changed in the service until somebody resumes. Removals of access wait as well.';

/** Acts of an operator about everything at once. */
export function OverviewActs({ status }: { readonly status: Ops<'Status'> }) {
  const hasTrouble = status.stuckCount + status.failingCount + status.due > 0;
  return (
    <Section title="Act">
      <Acts>
        {status.writes.paused ? (
          <Act key="resume" act={RESUME} label="Resume" isMain />
        ) : (
          <Act key="pause" act={PAUSE} label="Pause all changes" isDangerous confirm={WARNING} />
        )}
        <Act act={SWEEP} label="Compare everything" />
        {hasTrouble && <Act act={RETRY} given={{ all: true }} label="Retry all" />}
      </Acts>
    </Section>
  );
}
