/** The source in the handles of what an outside agent did. */
export const AGENT_SOURCE = 'agent';
