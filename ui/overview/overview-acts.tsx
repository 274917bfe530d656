import { toCount } from '../../src/ops/lists/words.ts';
import type { Ops } from '../api/types.ts';
import { Act, Acts } from '../parts/act.tsx';
import { Section } from '../parts/page.tsx';

/** Acts of an operator about everything at once. */
export function OverviewActs({ status }: { readonly status: Ops<'Status'> }) {
  const hasTrouble = status.stuckCount + status.failingCount + status.due > 0;
  return (
    <Section title="Act">
      <Acts>
        {status.writes.paused ? <Resume /> : <Pause />}
        <Act
          name="SweepAsked"
          label="Compare everything"
          meaning="Reads the whole service and compares it with what is wanted; drift.policy decides what follows."
          command="scim-bridge sweep"
          path="/sweeps"
          told={() => 'A sweep has begun; what it finds comes to Drifts and Plans.'}
        />
        {hasTrouble && (
          <Act
            name="Retry"
            label="Retry all"
            meaning="Tries at once what is refused or waits for its next attempt."
            command="scim-bridge retry --all"
            path="/retry"
            body={{ all: true }}
            told={({ count }) =>
              `${toCount(count, 'user or group is', 'users and groups are')} tried now.`
            }
          />
        )}
      </Acts>
    </Section>
  );
}

function Pause() {
  return (
    <Act
      name="Writes"
      label="Pause all changes"
      isDangerous
      meaning="Accepts what providers send and changes nothing in the service until you resume."
      command="scim-bridge pause"
      path="/pause"
      body={{}}
      confirm="Nothing is changed in the service until somebody resumes. Removals of access wait as well."
    />
  );
}

function Resume() {
  return (
    <Act
      name="Writes"
      label="Resume"
      isMain
      meaning="Ends the pause: what was accepted meanwhile is brought to the service."
      command="scim-bridge resume"
      path="/resume"
    />
  );
}
