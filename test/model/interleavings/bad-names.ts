/** The company never takes a name with this word in it. */
export const BAD = 'Refused';
