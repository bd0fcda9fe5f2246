export const FLOOD_BYTES: number;
