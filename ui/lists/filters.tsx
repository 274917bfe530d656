import { Group, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { type List, MEANINGS } from '../../src/ops/lists/list.ts';
import { toTitle } from '../../src/ops/lists/words.ts';

/** Time after the last letter until the search begins, in milliseconds. */
const TYPING_MS = 250;

/** Filters as they are in the address; what is empty is left out. */
export type Search = Readonly<Record<string, string>>;

type Filtered = Pick<List<unknown>, 'filters' | 'meanings' | 'defaults'>;

/** Boxes and choices for the filters of a list; the address holds what is filtered by. */
export function Filters({
  list,
  search,
  onSearch,
}: {
  readonly list: Filtered;
  readonly search: Search;
  readonly onSearch: (search: Search) => void;
}) {
  const { filters, defaults } = list;
  const set = (changed: Readonly<Record<string, string>>) => {
    const next = Object.entries({ ...search, ...changed });
    onSearch(Object.fromEntries(next.filter(([, text]) => text !== '')));
  };
  const flags = Object.keys(filters).filter((name) => filters[name]?.includes('true'));
  const others = Object.keys(filters).filter((name) => !flags.includes(name));
  return (
    <Group gap="xs" role="search">
      {others.map((name) => {
        const words = filters[name] ?? 'text';
        const asked = search[name] ?? '';
        if (typeof words === 'string')
          return (
            <Box key={name} name={name} asked={asked} meaning={toMeaning(list, name)} set={set} />
          );
        const usual = defaults?.[name];
        const all = usual === undefined ? words : [...words.filter((one) => one !== usual), 'all'];
        return (
          <Choice
            key={name}
            label={toTitle(usual ?? (name === 'order' ? name : `every ${name}`))}
            words={all}
            value={asked}
            onChange={(value) => set({ [name]: value })}
          />
        );
      })}
      {flags.length > 0 && (
        <Choice
          label="Every state"
          words={flags}
          value={flags.find((name) => search[name] === 'true') ?? ''}
          onChange={(flag) =>
            set(Object.fromEntries(flags.map((name) => [name, name === flag ? 'true' : ''])))
          }
        />
      )}
    </Group>
  );
}

/** The name of a box. */
export const toLabel = (name: string) => (name === 'q' ? 'Search' : toTitle(name));

/** What a filter takes, in a sentence. */
export function toMeaning({ meanings }: Filtered, name: string): string {
  return meanings?.[name] ?? MEANINGS[name] ?? '';
}

function Choice({
  label,
  words,
  value,
  onChange,
}: {
  readonly label: string;
  readonly words: readonly string[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const data = words.map((word) => ({ value: word, label: toTitle(word) }));
  return (
    <Select
      aria-label={label}
      data={[{ value: '', label }, ...data]}
      value={value}
      onChange={(word) => onChange(word ?? '')}
    />
  );
}

/** A box that asks a little after the last letter. */
function Box({
  name,
  asked,
  meaning,
  set,
}: {
  readonly name: string;
  readonly asked: string;
  readonly meaning: string;
  readonly set: (changed: Readonly<Record<string, string>>) => void;
}) {
  const [text, setText] = useState(asked);
  const sent = useRef(asked);
  // Another address, as of the navigation or of going back, is not what was typed here.
  useEffect(() => {
    if (asked === sent.current) return;
    sent.current = asked;
    setText(asked);
  }, [asked]);
  const askLater = useDebouncedCallback((next: string) => {
    sent.current = next;
    set({ [name]: next });
  }, TYPING_MS);
  const label = toLabel(name);
  return (
    <TextInput
      type={name === 'since' ? 'date' : 'search'}
      aria-label={label}
      title={meaning}
      placeholder={label}
      value={text}
      onChange={({ currentTarget: { value } }) => {
        setText(value);
        askLater(value.trim());
      }}
      {...(name === 'since' && { leftSection: 'since', leftSectionWidth: 56 })}
    />
  );
}
