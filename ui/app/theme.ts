import { createTheme } from '@mantine/core';

/** The look of all pages. Sizes are one step smaller than Mantine's: these are pages of tables. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 7 },
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.1rem' } },
  },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  components: {
    Alert: { defaultProps: { variant: 'outline' } },
    Button: { defaultProps: { size: 'xs' } },
    // A name needs a role.
    Loader: { defaultProps: { role: 'status', 'aria-label': 'Loading' } },
    TextInput: { defaultProps: { size: 'sm' } },
    Select: {
      defaultProps: {
        size: 'sm',
        allowDeselect: false,
        // Choices are made once somebody opens them: else each page makes and places those of all that are closed.
        comboboxProps: { keepMounted: false },
      },
    },
    Modal: { defaultProps: { centered: true } },
  },
});
