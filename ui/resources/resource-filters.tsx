import { Group, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

/** Filters of users and groups, as they are in the address. */
export interface ResourceSearch {
  readonly q?: string;
  readonly state?: string;
  readonly managed?: string;
}

const STATES = [
  { value: '', label: 'Every state' },
  { value: 'due', label: 'Something is to be done' },
  { value: 'stuck', label: 'Refused by the service' },
  { value: 'drifted', label: 'Changed in the service' },
  { value: 'disputed', label: 'Disputed names' },
  { value: 'deleted', label: 'Deleted' },
];
const MANAGED = [
  { value: '', label: 'Managed or not' },
  { value: 'true', label: 'Managed' },
  { value: 'false', label: 'Only observed' },
];
/** Time after the last letter until the search begins, in milliseconds. */
const TYPING_MS = 250;

/** Turns the filters of the address into those of the request. */
export function toListQuery({ q, state, managed }: ResourceSearch): Record<string, string> {
  return {
    ...(q && { q }),
    ...(state && { [state]: 'true' }),
    ...(managed && { managed }),
  };
}

/** One box that searches, and filters beside it. */
export function ResourceFilters({
  search,
  placeholder,
  onSearch,
}: {
  readonly search: ResourceSearch;
  readonly placeholder: string;
  readonly onSearch: (search: ResourceSearch) => void;
}) {
  const { q: asked = '' } = search;
  const [text, setText] = useState(asked);
  const sent = useRef(asked);
  // Another address, as of the navigation or of going back, is not what was typed here.
  useEffect(() => {
    if (asked === sent.current) return;
    sent.current = asked;
    setText(asked);
  }, [asked]);
  const show = (change: ResourceSearch) => {
    const given = Object.entries({ ...search, ...change }).filter(([, value]) => value !== '');
    onSearch(Object.fromEntries(given));
  };
  const searchLater = useDebouncedCallback((q: string) => {
    sent.current = q;
    show({ q });
  }, TYPING_MS);
  return (
    <Group gap="xs" role="search">
      <TextInput
        type="search"
        aria-label="Search"
        placeholder={placeholder}
        value={text}
        w={260}
        onChange={({ currentTarget: { value } }) => {
          setText(value);
          searchLater(value.trim());
        }}
      />
      <Select
        aria-label="State"
        data={STATES}
        value={search.state ?? ''}
        onChange={(state) => show({ state: state ?? '' })}
      />
      <Select
        aria-label="Managed"
        data={MANAGED}
        w={160}
        value={search.managed ?? ''}
        onChange={(managed) => show({ managed: managed ?? '' })}
      />
    </Group>
  );
}
