import { z } from 'zod';
import { CHOICES, MATCHES, RIGHTS } from '../../domain/provider.ts';
import { bodyOf, type JsonOf, moment } from './kinds.ts';

/** Limit of entries of one list. */
const ENTRIES_MAX = 100;

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const NAME_ERROR = 'name is 1 to 64 letters, digits, dots, hyphens and underscores.';
const DOMAIN = /^(?:[\p{L}\p{N}-]{1,63}\.)*[\p{L}\p{N}-]{1,63}$/u;
const DOMAINS_ERROR = `domains is a list of 1 to ${ENTRIES_MAX} mail domains such as example.com, or null for any.`;
const GROUPS_ERROR = `groupNames is a list of 1 to ${ENTRIES_MAX} names of groups, in which * stands for any text, or null for any.`;
const MAY_ERROR = `may is a list of: ${RIGHTS.join(', ')}.`;

const domains = () =>
  z
    .array(z.string(), { error: DOMAINS_ERROR })
    .min(1, { error: DOMAINS_ERROR })
    .max(ENTRIES_MAX, { error: DOMAINS_ERROR })
    .refine((all) => all.every((one) => one.length <= 253 && DOMAIN.test(one)), {
      error: DOMAINS_ERROR,
    })
    .nullable()
    .describe('Mail domains whose people it may create or take over; null: any.');

const groupNames = () =>
  z
    .array(z.string(), { error: GROUPS_ERROR })
    .min(1, { error: GROUPS_ERROR })
    .max(ENTRIES_MAX, { error: GROUPS_ERROR })
    .refine((all) => all.every((one) => one.trim() !== '' && one.length <= 256), {
      error: GROUPS_ERROR,
    })
    .nullable()
    .describe('Names that its groups may have, `*` stands for any text; null: any.');

const may = () =>
  z
    .array(z.enum(RIGHTS, { error: MAY_ERROR }), { error: MAY_ERROR })
    .describe('Its rights over its own people and groups; `create` is also to take over.');

const choice = <Words extends readonly [string, ...string[]]>(name: string, words: Words) =>
  z.enum(words, { error: `${name} is one of: ${words.join(', ')}.` });

const MATCH_ERROR = `match is a list of 1 or more of: ${MATCHES.join(', ')}.`;

/** How the requests of a provider are taken. */
export const handling = z.strictObject({
  returning: choice('returning', CHOICES.returning).describe(
    'A POST of somebody who is inactive: 409, or the same user active again with what the POST says.',
  ),
  unknownMembers: choice('unknownMembers', CHOICES.unknownMembers).describe(
    'Members that nobody has the id of: 400, or left out and counted.',
  ),
  nestedGroups: choice('nestedGroups', CHOICES.nestedGroups).describe(
    'Groups among members: 400, left out and counted, or their people are members.',
  ),
  match: z
    .array(z.enum(MATCHES, { error: MATCH_ERROR }), { error: MATCH_ERROR })
    .min(1, { error: MATCH_ERROR })
    .describe('By what a person is recognised who is new to the bridge.'),
});

const settings = {
  ...{ domains: domains(), groupNames: groupNames(), may: may() },
  ...handling.shape,
};

/** An identity provider. */
export const provider = z.strictObject({
  name: z.string(),
  ...settings,
  createdAt: moment().nullable().describe('null: the default one was always there.'),
  createdBy: z
    .string()
    .nullable()
    .describe('The id of the credential that made it, or `command`; null: nobody did.'),
});
/** An identity provider as an operator is shown it. */
export type ProviderView = JsonOf<typeof provider>;

const wish = z.strictObject(settings).partial().shape;

/** A provider that is to be added. */
export const providerBody = bodyOf(
  '{"name": "…", "domains": ["…"], "groupNames": ["…"], "may": ["…"], "returning": "…", …}',
  {
    name: z.string({ error: NAME_ERROR }).refine((text) => NAME.test(text), { error: NAME_ERROR }),
    ...wish,
  },
);

/** Limits and choices that are to hold from now on; what is left out stays. */
export const limitsBody = bodyOf('{"domains": ["…"], "may": ["…"], "returning": "…", …}', wish);
/** Limits and choices as a request names them. */
export type LimitsBody = JsonOf<typeof limitsBody>;
