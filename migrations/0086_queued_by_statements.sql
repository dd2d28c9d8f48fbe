-- Statements queue the events that they store; the trigger is left for the release before.
{queue events of the release before};
