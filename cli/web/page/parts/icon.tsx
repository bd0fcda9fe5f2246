const PATHS = {
  tree: 'M4 3v12M4 6h6M4 12h6M13 6h.01M13 12h.01',
  read: 'M3 4h12M3 9h12M3 14h8',
  compare: 'M3 3h5v12H3zM10 3h5v12h-5z',
  cost: 'M3 15V9M8 15V4M13 15v-4',
  map: 'M4 3v12M4 8c5 0 5 4 9 4',
  running: 'M5 3l10 6-10 6z',
  search: 'M8 13a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM12 12l4 4',
} as const;

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
      <path d={PATHS[name]} class="icon-path" />
    </svg>
  );
}

export function Brand() {
  return (
    <svg class="brand" width="22" height="22" viewBox="0 0 22 22" aria-hidden="true">
      <path d="M6 3v16M6 11c0-3 8-2 8-6M6 16c0-3 10-2 10-5" class="brand-path" />
      <circle cx="14" cy="4.5" r="2.2" class="brand-dot" />
      <circle cx="16.5" cy="10.5" r="2.2" class="brand-dot" />
      <circle cx="6" cy="19" r="2.2" class="brand-dot" />
    </svg>
  );
}
