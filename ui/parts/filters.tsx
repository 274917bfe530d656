import { Group, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

/** Time after the last letter until the search begins, in milliseconds. */
const TYPING_MS = 250;

/** Filter of a list, by its name in the address: one of some choices, or a box for a text or a date. */
export interface Filter<Name extends string> {
  readonly name: Name;
  readonly label: string;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** What may be typed into the box; the label when left out. */
  readonly placeholder?: string;
  /** The box is for a date since then. */
  readonly isSince?: true;
}

/** Filters as they are in the address. */
type Search<Name extends string> = { readonly [Key in Name]?: string };

/** Boxes and choices that filter a list; the address holds what is filtered by. */
export function Filters<Name extends string>({
  search,
  filters,
  onSearch,
}: {
  readonly search: Search<Name>;
  readonly filters: readonly Filter<Name>[];
  readonly onSearch: (search: Search<Name>) => void;
}) {
  const show = (name: Name, value: string) => {
    const given = Object.entries({ ...search, [name]: value }).filter(([, text]) => text !== '');
    onSearch(parseSearch(Object.fromEntries(given)));
  };
  return (
    <Group gap="xs" role="search">
      {filters.map((filter) => {
        const { name, label, choices } = filter;
        const asked = search[name] ?? '';
        const onChange = (value: string | null) => show(name, value ?? '');
        if (choices === undefined) return <Box key={name} {...{ filter, asked, onChange }} />;
        const data = [...choices];
        return <Select key={name} aria-label={label} {...{ data, onChange }} value={asked} />;
      })}
    </Group>
  );
}

/** A box that asks a little after the last letter. */
function Box({
  filter: { label, placeholder = label, isSince },
  asked,
  onChange,
}: {
  readonly filter: Filter<string>;
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
      placeholder={placeholder}
      value={text}
      onChange={({ currentTarget: { value } }) => {
        setText(value);
        askLater(value.trim());
      }}
      {...(isSince && { leftSection: 'since', leftSectionWidth: 56 })}
    />
  );
}

/** Holds no other names than those of the filters and of the search before. */
function parseSearch<Name extends string>(given: object): Search<Name> {
  return given as Search<Name>;
}
