import type { SandboxService } from '../../../src/sandbox/service.ts';
import type { SeededRandom } from '../../interleavings/seeded-random.ts';

/** What the provider wants: everybody active and called so, and who is in which group. */
export interface Wanted {
  readonly people: ReadonlyMap<string, string>;
  readonly groups: ReadonlyMap<string, ReadonlySet<string>>;
}

/** What an administrator has changed; each thing once, for what is changed back three times is a quarrel. */
export interface Trespasses {
  /** `group person`: put in, taken out. */
  readonly joined: ReadonlySet<string>;
  readonly left: ReadonlySet<string>;
  /** Whose account was deactivated, or called something else. */
  readonly deactivated: ReadonlySet<string>;
  readonly renamed: ReadonlySet<string>;
}

/** Somebody who changes the service behind the provider's back. */
export interface Administrator {
  readonly trespasses: Trespasses;
  /** Changes one thing that was never changed. */
  act(): void;
}

/** One person in one group. */
export function toPair(group: string, person: string): string {
  return `${group} ${person}`;
}

/** Changes things through `service`, which is theirs. */
export function createAdministrator(
  service: SandboxService,
  { people, groups }: Wanted,
  random: SeededRandom,
): Administrator {
  const trespasses = {
    joined: new Set<string>(),
    left: new Set<string>(),
    deactivated: new Set<string>(),
    renamed: new Set<string>(),
  };
  const everybody = [...people.keys()];

  function changeMember(): void {
    const [group, members] = random.pick([...groups]);
    const person = random.pick(everybody);
    const pair = toPair(group, person);
    if (trespasses.joined.has(pair) || trespasses.left.has(pair)) return;
    if (members.has(person)) {
      trespasses.left.add(pair);
      service.removeMember(group, person);
    } else {
      trespasses.joined.add(pair);
      service.addMember(group, person);
    }
  }

  function changePerson(): void {
    const person = random.pick(everybody);
    const changed = random.chance(0.5) ? trespasses.deactivated : trespasses.renamed;
    if (trespasses.deactivated.has(person) || trespasses.renamed.has(person)) return;
    changed.add(person);
    if (changed === trespasses.deactivated) service.setActive(person, false);
    else service.renameUser(person, 'Somebody Else');
  }

  return {
    trespasses,
    act: () => (random.chance(0.8) ? changeMember() : changePerson()),
  };
}
