-- Applications that exist keep the attributes that exist. Those of new applications are chosen.
ALTER TABLE applications ADD COLUMN readable_attributes text[] NOT NULL
  DEFAULT '{job_title,location,hire_date,termination_date,manager_id}';
ALTER TABLE applications ALTER COLUMN readable_attributes SET DEFAULT '{}';

-- When the attributes last changed that an application may be without: by name, and that of all others as `others`. NULL if none of
-- them has changed since the others did: each changed at `updated_at` then, or before.
ALTER TABLE employees ADD COLUMN attribute_times jsonb;

-- A change of none of the five clears the times, also of an attribute that this function does not name. Clocks of processes differ:
-- a time that decreases would hide a change from readers who ask for later ones.
CREATE FUNCTION set_attribute_times() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF (OLD.job_title, OLD.location, OLD.hire_date, OLD.termination_date, OLD.manager_id)
      IS NOT DISTINCT FROM (NEW.job_title, NEW.location, NEW.hire_date, NEW.termination_date, NEW.manager_id) THEN
    IF (OLD.employee_number, OLD.first_name, OLD.last_name, OLD.email, OLD.status, OLD.department, OLD.updated_at)
        IS DISTINCT FROM
       (NEW.employee_number, NEW.first_name, NEW.last_name, NEW.email, NEW.status, NEW.department, NEW.updated_at) THEN
      NEW.attribute_times := NULL;
    END IF;
  ELSIF (OLD.employee_number, OLD.first_name, OLD.last_name, OLD.email, OLD.status, OLD.department)
      IS DISTINCT FROM
        (NEW.employee_number, NEW.first_name, NEW.last_name, NEW.email, NEW.status, NEW.department) THEN
    NEW.attribute_times := NULL;
  ELSE
    NEW.updated_at := greatest(NEW.updated_at, OLD.updated_at);
    NEW.attribute_times := coalesce(OLD.attribute_times, jsonb_build_object('others', OLD.updated_at))
      || jsonb_strip_nulls(jsonb_build_object(
        'job_title', CASE WHEN OLD.job_title IS DISTINCT FROM NEW.job_title THEN NEW.updated_at END,
        'location', CASE WHEN OLD.location IS DISTINCT FROM NEW.location THEN NEW.updated_at END,
        'hire_date', CASE WHEN OLD.hire_date IS DISTINCT FROM NEW.hire_date THEN NEW.updated_at END,
        'termination_date', CASE WHEN OLD.termination_date IS DISTINCT FROM NEW.termination_date THEN NEW.updated_at END,
        'manager_id', CASE WHEN OLD.manager_id IS DISTINCT FROM NEW.manager_id THEN NEW.updated_at END));
  END IF;
  RETURN NEW;
END $$;

-- It changes its own row only. Citus rejects triggers that it does not know to be safe.
SET LOCAL citus.enable_unsafe_triggers = on;
CREATE TRIGGER employees_attribute_times BEFORE UPDATE ON employees
  FOR EACH ROW EXECUTE FUNCTION set_attribute_times();
