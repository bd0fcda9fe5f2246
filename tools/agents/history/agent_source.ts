/** The source in the handles of what an outside agent did. */
export const AGENT_SOURCE = 'agent';
/** What the node of an exchange says in which nothing was called: the answer below it says all. */
export const NO_CALLS = '(it called no tools)';
