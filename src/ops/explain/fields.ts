import { type Given, isAsked, toExtension } from '../../domain/given.ts';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import type { RuleBook, Rulings } from '../../domain/rule-book.ts';
import { toRuleText } from '../../domain/rules.ts';
import type { Origin } from '../../store/schema.ts';
import type { ExplainedField, FieldStanding } from '../schemas/resources.ts';

/** What a field's standing is made from. */
export interface Standing<Field extends string> {
  readonly managed: boolean;
  readonly observed: boolean;
  readonly pending: ReadonlySet<Field>;
  readonly stuck: boolean;
  readonly differing: ReadonlySet<Field>;
}

/** How a field stands that somebody may want. */
export function toStanding<Field extends string>(
  field: Field,
  isWanted: boolean,
  { managed, observed, pending, stuck, differing }: Standing<Field>,
): FieldStanding {
  if (!managed || !isWanted) return 'not ours';
  if (pending.has(field)) return stuck ? 'stuck' : 'pending';
  if (!observed) return 'unknown';
  return differing.has(field) ? 'drifted' : 'settled';
}

/** Who wants an ordinary attribute. */
export function toOwner(origin: Origin | null, value: JsonValue | undefined): string | null {
  if (value === undefined) return null;
  return origin === null ? 'service' : 'provider';
}

/** A field of an extension, which a provider or a rule may want. */
export interface RuledField<Field extends string> {
  readonly field: Field;
  readonly attributes: JsonObject;
  readonly given: Given<Field>;
  readonly rulings: Rulings<Field>;
  readonly urn: string;
  readonly origin: Origin | null;
}

/** Who wants a field of an extension, and which rule has to stand back. */
export function toRuledOwner<Field extends string>(
  book: RuleBook,
  { field, attributes, given, rulings, urn, origin }: RuledField<Field>,
): Pick<ExplainedField, 'from' | 'note'> {
  const ruling = origin === null ? undefined : rulings[field];
  const text = ruling && toRuleWords(book, ruling.rule);
  if (isAsked({ attributes, given, urn }, field)) {
    const from = toOwner(origin, true);
    return text === undefined ? { from } : { from, note: `It goes before ${text}.` };
  }
  if (toExtension(attributes, urn)[field] === undefined) {
    return text === undefined
      ? { from: null }
      : { from: null, note: `${text} does not apply: the person is protected.` };
  }
  if (given[field]?.by === 'service')
    return { from: 'service', note: 'As it was at the takeover.' };
  return { from: text ?? 'a rule that is being replaced' };
}

/** A rule by its place in the list and its text. */
export function toRuleWords({ rules }: RuleBook, number: number): string {
  const rule = rules[number - 1];
  return `rule ${number}: ${rule ? toRuleText(rule) : '(gone)'}`;
}
