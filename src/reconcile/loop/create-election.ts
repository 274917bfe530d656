import { recoverInFlight } from '../../store/in-flight.ts';
import type { Election, ElectionDeps, OwnLead, Tenure } from './election.ts';
import { SharedElection } from './shared-election.ts';

/** The part of one process in the election. A file has one process, which leads. */
export function createElection(deps: ElectionDeps): Election {
  return deps.store.engine === 'sqlite' ? createSoleLeader(deps) : new SharedElection(deps);
}

function createSoleLeader({ store, clock, owner, createTenure }: ElectionDeps): Election {
  const lead: OwnLead = { owner, epoch: 1, since: clock.now(), isSure: () => true };
  let tenure: Tenure | undefined;
  async function resign(): Promise<void> {
    await tenure?.stop();
    tenure = undefined;
  }
  return {
    async start() {
      // Whatever was under way was left by a process that is gone.
      await store.write((tx) => recoverInFlight(tx, clock.now()));
      tenure = await createTenure(lead);
      await tenure.start();
    },
    known: () => ({ ...lead, isSelf: true, isAlive: true, news: null }),
    resign,
    stop: resign,
  };
}
