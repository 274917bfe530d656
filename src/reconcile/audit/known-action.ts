/** Verb of an action. */
type Verb = 'create' | 'add' | 'invite' | 'activate' | 'deactivate' | 'delete' | 'change';
/** Noun of an action: the kind of thing that was changed. */
type Noun = 'user' | 'group' | 'member' | 'admin' | 'access';

/** The words of an event. */
export interface EventWords {
  readonly category: string;
  readonly action: string;
}

/** Types of resource that an event names, as far as the store knows them. */
export interface NamedKinds {
  readonly user: boolean;
  readonly group: boolean;
}

/** Words by their meaning. */
type Lexicon<Meaning extends string> = ReadonlyMap<string, Meaning>;

const VERBS: Lexicon<Verb> = toLexicon({
  create: 'create creation register provision',
  add: 'add addition join assign attach grant',
  invite: 'invite invitation',
  activate: 'activate activation reactivate reactivation enable restore unblock unsuspend',
  deactivate: 'deactivate deactivation disable suspend suspension block archive',
  delete: 'delete deletion remove removal destroy erase leave left unassign revoke',
  change: 'change update edit modify',
});
const NOUNS: Lexicon<Noun> = toLexicon({
  user: 'user person people account employee',
  group: 'group team',
  member: 'member membership',
  admin: 'admin administrator',
  access: 'permission access licence license app',
});
const FILLERS: ReadonlySet<string> = new Set('to from in of into by the company scim'.split(' '));

/**
 * Translates an event to an action of the documents. Services may write them as `user.created`, `userDeleted`,
 * `GROUP_MEMBER_ADDED`, or as `create` under a category. An unknown action stays as it is.
 */
export function toKnownAction({ category, action }: EventWords, named: NamedKinds): string {
  const words = listWords(action);
  const text = words.join('_');
  if (AS_THEY_ARE.has(text)) return text;
  const verbs = words.flatMap((word) => findMeaning(VERBS, word) ?? []);
  const nouns = new Set(words.flatMap((word) => findMeaning(NOUNS, word) ?? []));
  const [verb] = verbs;
  if (verb === undefined || verbs.length > 1 || !words.every(isKnown)) return text;
  return toAction(verb, nouns, { category: listNouns(category), named });
}

/** Actions of the documents that must not be read word by word. */
const AS_THEY_ARE: ReadonlySet<string> = new Set([
  ...['invite', 'activate', 'deactivate'],
  ...['admin_add_user', 'admin_delete_user', 'group_activate', 'group_deactivate'],
  ...['change_permissions', 'change_apps_permissions', 'grant_access', 'revoke_access'],
]);

/** Lists the types of resource that a number in an event may identify, where nothing beside it tells. */
export function listSubjects({ category, action }: EventWords): ('user' | 'group')[] {
  const ofAction = listNouns(action);
  const nouns = isAnything(ofAction) ? listNouns(category) : ofAction;
  const isLink = nouns.has('member') || nouns.has('admin');
  // A user joins a group or leaves it.
  const isMove = listWords(action).some((word) => MOVES.has(findMeaning(VERBS, word) ?? 'change'));
  const mayBeLink = ofAction.has('user') && isMove;
  if (isLink || mayBeLink || nouns.has('user') === nouns.has('group')) return ['user', 'group'];
  return nouns.has('user') ? ['user'] : ['group'];
}

/** True for a sign-in, a session or a password, and for nothing beside: `user_signed_in`, `loginFailed`. */
export function isSignIn(action: string): boolean {
  const words = listWords(action);
  const isOfSession = words.some((word) => SESSIONS.has(word));
  const isBeside = (word: string) =>
    FILLERS.has(word) ||
    OUTCOMES.has(word) ||
    findMeaning(NOUNS, word) === 'user' ||
    (isOfSession && SESSION_VERBS.has(findMeaning(VERBS, word) ?? 'activate'));
  const isNamed = isOfSession || words.some((word) => SIGN_INS.has(word));
  return (
    isNamed && words.every((word) => SIGN_INS.has(word) || SESSIONS.has(word) || isBeside(word))
  );
}

const SIGN_INS: ReadonlySet<string> = new Set(
  'sign signed signin signout log logged login logon logout logoff authentication authenticated'.split(
    ' ',
  ),
);
const SESSIONS: ReadonlySet<string> = new Set('session password pin'.split(' '));
const SESSION_VERBS: ReadonlySet<Verb> = new Set<Verb>(['create', 'delete', 'change']);
const OUTCOMES: ReadonlySet<string> = new Set(
  'on out off up fail failed failure success succeeded successful attempt request requested reset'.split(
    ' ',
  ),
);

const MOVES: ReadonlySet<Verb> = new Set<Verb>(['add', 'delete']);

function isAnything(nouns: ReadonlySet<Noun>): boolean {
  return nouns.size === 0 || (nouns.size === 1 && nouns.has('access'));
}

interface Context {
  readonly category: ReadonlySet<Noun>;
  readonly named: NamedKinds;
}

function toAction(verb: Verb, nouns: ReadonlySet<Noun>, context: Context): string {
  if (nouns.has('access')) return toAccessAction(verb);
  if (verb === 'change') return verb;
  const isAdded = verb !== 'delete' && verb !== 'deactivate';
  switch (toSubject(verb, nouns, context)) {
    case 'admin':
      return isAdded ? 'add_admin' : 'delete_admin';
    case 'member':
      return isAdded ? 'add_user' : 'delete_user';
    case 'group':
      if (verb === 'activate' || verb === 'deactivate') return `group_${verb}`;
      return isAdded ? 'create' : 'delete';
    default:
      return verb === 'add' ? 'create' : verb;
  }
}

function toAccessAction(verb: Verb): string {
  if (verb === 'add') return 'grant_access';
  return verb === 'delete' ? 'revoke_access' : 'change_permissions';
}

/** Finds the noun: from the action, then from the named resources, then from the category; else it is a user. */
function toSubject(verb: Verb, nouns: ReadonlySet<Noun>, { category, named }: Context): Noun {
  const all = isAnything(nouns) ? category : nouns;
  if (all.has('admin')) return 'admin';
  if (all.has('member')) return 'member';
  if (all.has('user') && all.has('group')) return 'member';
  const isMove = MOVES.has(verb);
  if (nouns.has('user')) {
    return isMove && (named.group || category.has('group')) ? 'member' : 'user';
  }
  // `create` and `delete` alone are words of the documents, and mean the group itself.
  const isOfBoth = named.user && named.group && isMove && verb !== 'delete';
  if (all.has('group')) return isOfBoth ? 'member' : 'group';
  return 'user';
}

function listNouns(text: string): ReadonlySet<Noun> {
  return new Set(listWords(text).flatMap((word) => findMeaning(NOUNS, word) ?? []));
}

function isKnown(word: string): boolean {
  return FILLERS.has(word) || (findMeaning(VERBS, word) ?? findMeaning(NOUNS, word)) !== undefined;
}

/** Splits an action into words: `userDeleted`, `user.deleted`, `USER_DELETED` and `user/delete` have two. */
function listWords(text: string): string[] {
  const apart = text.slice(0, 200).replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
  return apart.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Finds the meaning of a word in any of its endings: `created`, `users`, `adding`. */
function findMeaning<Meaning extends string>(
  lexicon: Lexicon<Meaning>,
  word: string,
): Meaning | undefined {
  const stems = [word, ...['d', 's', 'ed', 'es'].flatMap((end) => cut(word, end))];
  const ofVerb = cut(word, 'ing').flatMap((stem) => [stem, `${stem}e`]);
  for (const stem of [...stems, ...ofVerb]) {
    const meaning = lexicon.get(stem);
    if (meaning !== undefined) return meaning;
  }
  return undefined;
}

function cut(word: string, end: string): string[] {
  return word.endsWith(end) ? [word.slice(0, -end.length)] : [];
}

function toLexicon<Meaning extends string>(words: Readonly<Record<Meaning, string>>) {
  const lexicon = new Map<string, Meaning>();
  for (const meaning in words)
    for (const word of words[meaning].split(' ')) lexicon.set(word, meaning);
  return lexicon;
}
