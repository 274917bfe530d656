/** Somebody in the story. */
export interface Person {
  readonly given: string;
  readonly family: string;
  readonly email: string;
}

function createPerson(given: string, family: string): Person {
  return { given, family, email: `${given}@example.com`.toLowerCase() };
}

/** Person whom Okta provisions. */
export const ADA = createPerson('Ada', 'Lovelace');
/** Person who is in Payroll with Ada. */
export const GRACE = createPerson('Grace', 'Hopper');
/** Everybody else of whom Okta knows: more than one plan may take out of groups by itself. */
export const COLLEAGUES: readonly Person[] = Array.from({ length: 25 }, (_, n) =>
  createPerson(`Colleague${n + 1}`, 'Example'),
);
/** Person of whom no provider knows. */
export const ALAN = createPerson('Alan', 'Turing');

/** The group that Okta pushes. */
export const PAYROLL = 'Payroll';
