import { Group, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

/** Time after the last letter until the search begins, in milliseconds. */
const TYPING_MS = 250;

/** Filter of a list, by its name in the address: one of some choices, or a box for a text or a date. */
export interface Filter {
  readonly name: string;
  /** With choices: what stands there if none is chosen. */
  readonly label: string;
  readonly choices?: Readonly<Record<string, string>>;
  /** The box is for a date since then. */
  readonly isSince?: true;
}

/** Filters as they are in the address; what is empty is left out. */
export type Search = Readonly<Record<string, string>>;

/** Boxes and choices that filter a list; the address holds what is filtered by. */
export function Filters({
  search,
  filters,
  onSearch,
}: {
  readonly search: Search;
  readonly filters: readonly Filter[];
  readonly onSearch: (search: Search) => void;
}) {
  return (
    <Group gap="xs" role="search">
      {filters.map((filter) => {
        const { name, label, choices } = filter;
        const asked = search[name] ?? '';
        const onChange = (value: string | null) => {
          const next = Object.entries({ ...search, [name]: value ?? '' });
          onSearch(Object.fromEntries(next.filter(([, text]) => text !== '')));
        };
        if (choices === undefined) return <Box key={name} {...{ filter, asked, onChange }} />;
        const data = Object.entries({ '': label, ...choices }).map(([value, words]) => {
          return { value, label: words };
        });
        return <Select key={name} aria-label={label} {...{ data, onChange }} value={asked} />;
      })}
    </Group>
  );
}

/** A box that asks a little after the last letter. */
function Box({
  filter: { label, isSince },
  asked,
  onChange,
}: {
  readonly filter: Filter;
  readonly asked: string;
  readonly onChange: (text: string) => void;
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
    onChange(next);
  }, TYPING_MS);
  return (
    <TextInput
      type={isSince ? 'date' : 'search'}
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={({ currentTarget: { value } }) => {
        setText(value);
        askLater(value.trim());
      }}
      {...(isSince && { leftSection: 'since', leftSectionWidth: 56 })}
    />
  );
}
